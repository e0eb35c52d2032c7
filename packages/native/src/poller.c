/*
 * Poller: an epoll set, itself polled by libuv.
 *
 * One batch is one call into JavaScript. During that call, JavaScript may delete, disable or close; entries of the batch that
 * become invalid are changed to the pair -1, 0 in place.
 *
 * A poller may rest: until a timer ends, it reports no fds, and libuv does not poll the set. All fds that are ready by then are
 * reported in one batch, without polling in between.
 */
#include "addon.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <uv.h>

#define BATCH_MAX 256

typedef struct {
  napi_env env;
  uv_poll_t handle;
  uv_timer_t timer;
  int epoll;
  bool is_closed, is_resting;
  int handles; /* handles of libuv that are not closed yet */
  int owners;  /* libuv (for both handles) and the JavaScript object: the last owner frees the poller */
  napi_ref self, on_ready, ready;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
  int32_t *pairs; /* the memory of `ready`: fd, events, fd, events, … */
  int batch;      /* the number of pairs that JavaScript reads at the moment, 0 outside its call */
} Poller;

static const napi_type_tag POLLER_TAG = {0x73706f6f6c2d706fULL, 0x6c6c65722d303031ULL};

static void release_poller(Poller *poller) {
  if (--poller->owners == 0) free(poller);
}

static void on_handle_closed(uv_handle_t *handle) {
  Poller *poller = handle->data;
  if (--poller->handles > 0) return;
  napi_remove_async_cleanup_hook(poller->hook);
  release_poller(poller);
}

static void finalize_poller(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  release_poller(data);
}

/* Removes the events of `fd` (-1: any) from the running batch that must no longer be reported. */
static void correct_batch(Poller *poller, int fd, int events) {
  for (int i = 0; i < poller->batch; i++) {
    int32_t *pair = poller->pairs + 2 * i;
    if (fd != -1 && pair[0] != fd) continue;
    pair[1] = events ? pair[1] & (events | EPOLLERR | EPOLLHUP) : 0;
    if (pair[1] == 0) pair[0] = -1;
  }
}

static void close_poller(Poller *poller) {
  if (poller->is_closed) return;
  poller->is_closed = true;
  correct_batch(poller, -1, 0);
  uv_close((uv_handle_t *)&poller->handle, on_handle_closed);
  uv_close((uv_handle_t *)&poller->timer, on_handle_closed);
  close(poller->epoll); /* libuv has released the fd in uv_close */
  napi_async_destroy(poller->env, poller->context);
  napi_delete_reference(poller->env, poller->ready);
  napi_delete_reference(poller->env, poller->on_ready);
  napi_delete_reference(poller->env, poller->self);
}

/* Called when the environment (a worker, or the whole process) ends with the poller still open. */
static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  close_poller(data);
}

static void report(Poller *poller) {
  napi_env env = poller->env;
  struct epoll_event events[BATCH_MAX];
  int count = epoll_wait(poller->epoll, events, BATCH_MAX, 0); /* level-triggered: a 257th event is reported the next time */
  if (count <= 0) return;
  for (int i = 0; i < count; i++) {
    poller->pairs[2 * i] = events[i].data.fd;
    poller->pairs[2 * i + 1] = (int32_t)events[i].events;
  }
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value global, on_ready, arguments[2];
  napi_get_global(env, &global);
  napi_get_reference_value(env, poller->on_ready, &on_ready);
  napi_get_reference_value(env, poller->ready, &arguments[0]);
  arguments[1] = from_int(env, count);
  poller->batch = count;
  napi_status called = napi_make_callback(env, poller->context, global, on_ready, 2, arguments, NULL);
  poller->batch = 0;
  if (called == napi_pending_exception) {
    napi_value thrown;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
  }
  napi_close_handle_scope(env, scope);
}

static void on_epoll_readable(uv_poll_t *handle, int status, int unused) {
  (void)status, (void)unused;
  report(handle->data);
}

static void on_rest_over(uv_timer_t *timer) {
  Poller *poller = timer->data;
  poller->is_resting = false;
  report(poller);
  if (!poller->is_closed && !poller->is_resting) uv_poll_start(&poller->handle, UV_READABLE, on_epoll_readable);
}

static Poller *poller_of(Call *call) {
  void *poller = NULL;
  bool is_poller = false;
  if (!call->failed) napi_check_object_type_tag(call->env, call->self, &POLLER_TAG, &is_poller);
  if (is_poller) napi_unwrap(call->env, call->self, &poller);
  if (!poller) wrong(call, "this", "a Poller");
  return poller;
}

/*
 * Sets the events of an fd. Events 0 removes it from the set: epoll always reports errors and hang-ups, and a level-triggered
 * hang-up would spin.
 */
static int watch(Poller *poller, int fd, int events) {
  struct epoll_event event = {.events = (uint32_t)events, .data.fd = fd};
  if (events != 0) {
    if (epoll_ctl(poller->epoll, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
    return errno == ENOENT ? epoll_ctl(poller->epoll, EPOLL_CTL_ADD, fd, &event) : -1;
  }
  if (epoll_ctl(poller->epoll, EPOLL_CTL_DEL, fd, &event) == 0) return 0;
  return errno == ENOENT || errno == EPERM ? 0 : -1; /* the fd was not in the set, or can never be */
}

static napi_value watch_from_js(Call *call, Poller *poller, int fd, int events) {
  if (call->failed) return NULL;
  if (poller->is_closed) return throw_errno(call->env, EBADF, "epoll_ctl", NULL);
  if (watch(poller, fd, events) == -1) return throw_errno(call->env, errno, "epoll_ctl", NULL);
  correct_batch(poller, fd, events);
  return NULL;
}

static napi_value js_poller_set(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Poller *poller = poller_of(&call);
  int fd = int_of(&call, call.at[0], "fd");
  int events = int_of(&call, call.at[1], "events");
  return watch_from_js(&call, poller, fd, events);
}

static napi_value js_poller_delete(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Poller *poller = poller_of(&call);
  int fd = int_of(&call, call.at[0], "fd");
  if (!call.failed && poller->is_closed) return NULL; /* it was already removed, with all the others */
  return watch_from_js(&call, poller, fd, 0);
}

static napi_value js_poller_rest(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Poller *poller = poller_of(&call);
  int64_t ms = int64_of(&call, call.at[0], "ms");
  if (call.failed || poller->is_closed) return NULL;
  uv_poll_stop(&poller->handle);
  poller->is_resting = true;
  uv_timer_start(&poller->timer, on_rest_over, ms < 1 ? 1 : (uint64_t)ms, 0);
  return NULL;
}

static napi_value js_poller_close(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Poller *poller = poller_of(&call);
  if (!call.failed) close_poller(poller);
  return NULL;
}

napi_value js_create_poller(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  napi_valuetype type = napi_undefined;
  if (!call.failed) napi_typeof(env, call.at[0], &type);
  if (type != napi_function) wrong(&call, "onReady", "a function");
  if (call.failed) return NULL;

  Poller *poller = allocate(sizeof *poller);
  uv_loop_t *loop = NULL;
  poller->env = env;
  poller->handle.data = poller;
  poller->timer.data = poller;
  poller->epoll = epoll_create1(EPOLL_CLOEXEC);
  int error = poller->epoll == -1 ? -errno : 0;
  if (error == 0) error = napi_get_uv_event_loop(env, &loop) == napi_ok ? 0 : -EINVAL;
  if (error == 0) error = uv_poll_init(loop, &poller->handle, poller->epoll);
  if (error != 0) {
    shut(&poller->epoll);
    free(poller);
    return throw_errno(env, -error, "epoll_create1", NULL);
  }
  /* From here on calls fail only for lack of memory, or because of a bug in our code. */
  uv_timer_init(loop, &poller->timer);
  uv_poll_start(&poller->handle, UV_READABLE, on_epoll_readable);
  poller->handles = 2;
  poller->owners = 2;
  napi_value self, buffer, ready;
  void *pairs = NULL;
  napi_create_arraybuffer(env, sizeof(int32_t) * 2 * BATCH_MAX, &pairs, &buffer);
  napi_create_typedarray(env, napi_int32_array, 2 * BATCH_MAX, buffer, 0, &ready);
  poller->pairs = pairs;
  napi_property_descriptor methods[] = {
      {"set", NULL, js_poller_set, NULL, NULL, NULL, napi_default, NULL},
      {"delete", NULL, js_poller_delete, NULL, NULL, NULL, napi_default, NULL},
      {"rest", NULL, js_poller_rest, NULL, NULL, NULL, napi_default, NULL},
      {"close", NULL, js_poller_close, NULL, NULL, NULL, napi_default, NULL},
  };
  napi_create_object(env, &self);
  napi_define_properties(env, self, sizeof methods / sizeof *methods, methods);
  napi_type_tag_object(env, self, &POLLER_TAG);
  napi_wrap(env, self, poller, finalize_poller, NULL, NULL);
  napi_create_reference(env, self, 1, &poller->self); /* an open poller cannot be collected: libuv calls it */
  napi_create_reference(env, call.at[0], 1, &poller->on_ready);
  napi_create_reference(env, ready, 1, &poller->ready);
  napi_async_init(env, self, from_string(env, "SpoolPoller"), &poller->context);
  napi_add_async_cleanup_hook(env, on_environment_end, poller, &poller->hook);
  return self;
}
