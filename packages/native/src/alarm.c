/*
 * Alarm: one call at a later time, which may be moved as often as wanted.
 *
 * Node's timers wake the process at the time that they were first set for, also when they were moved meanwhile. A timer of libuv that
 * is moved before its time wakes nothing.
 */
#include "addon.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

typedef struct {
  napi_env env;
  uv_timer_t timer;
  bool is_closed;
  int owners; /* libuv and the JavaScript object: the last owner frees the alarm */
  napi_ref self, on_ring;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
} Alarm;

static const napi_type_tag ALARM_TAG = {0x73706f6f6c2d616cULL, 0x61726d2d30303031ULL};

static void release_alarm(Alarm *alarm) {
  if (--alarm->owners == 0) free(alarm);
}

static void on_timer_closed(uv_handle_t *handle) {
  Alarm *alarm = handle->data;
  napi_remove_async_cleanup_hook(alarm->hook);
  release_alarm(alarm);
}

static void finalize_alarm(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  release_alarm(data);
}

static void close_alarm(Alarm *alarm) {
  if (alarm->is_closed) return;
  alarm->is_closed = true;
  uv_close((uv_handle_t *)&alarm->timer, on_timer_closed);
  napi_async_destroy(alarm->env, alarm->context);
  napi_delete_reference(alarm->env, alarm->on_ring);
  napi_delete_reference(alarm->env, alarm->self);
}

/* Called when the environment (a worker, or the whole process) ends with the alarm still open. */
static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  close_alarm(data);
}

static void ring(uv_timer_t *timer) {
  Alarm *alarm = timer->data;
  napi_env env = alarm->env;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value global, on_ring;
  napi_get_global(env, &global);
  napi_get_reference_value(env, alarm->on_ring, &on_ring);
  napi_status called = napi_make_callback(env, alarm->context, global, on_ring, 0, NULL, NULL);
  if (called == napi_pending_exception) {
    napi_value thrown;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
  }
  napi_close_handle_scope(env, scope);
}

static Alarm *alarm_of(Call *call) {
  void *alarm = NULL;
  bool is_alarm = false;
  if (!call->failed) napi_check_object_type_tag(call->env, call->self, &ALARM_TAG, &is_alarm);
  if (is_alarm) napi_unwrap(call->env, call->self, &alarm);
  if (!alarm) wrong(call, "this", "an Alarm");
  return alarm;
}

static napi_value js_alarm_set(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Alarm *alarm = alarm_of(&call);
  int64_t ms = int64_of(&call, call.at[0], "ms");
  if (call.failed || alarm->is_closed) return NULL;
  uv_update_time(alarm->timer.loop); /* a long task may have run since the loop has read the clock */
  uv_timer_start(&alarm->timer, ring, ms < 1 ? 1 : (uint64_t)ms, 0);
  return NULL;
}

static napi_value js_alarm_close(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Alarm *alarm = alarm_of(&call);
  if (!call.failed) close_alarm(alarm);
  return NULL;
}

napi_value js_create_alarm(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  napi_valuetype type = napi_undefined;
  if (!call.failed) napi_typeof(env, call.at[0], &type);
  if (type != napi_function) wrong(&call, "onRing", "a function");
  if (call.failed) return NULL;
  uv_loop_t *loop = NULL;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return throw_errno(env, EINVAL, "uv_timer_init", NULL);
  Alarm *alarm = allocate(sizeof *alarm);
  alarm->env = env;
  alarm->timer.data = alarm;
  alarm->owners = 2;
  uv_timer_init(loop, &alarm->timer);
  napi_property_descriptor methods[] = {
      {"set", NULL, js_alarm_set, NULL, NULL, NULL, napi_default, NULL},
      {"close", NULL, js_alarm_close, NULL, NULL, NULL, napi_default, NULL},
  };
  napi_value self;
  napi_create_object(env, &self);
  napi_define_properties(env, self, sizeof methods / sizeof *methods, methods);
  napi_type_tag_object(env, self, &ALARM_TAG);
  napi_wrap(env, self, alarm, finalize_alarm, NULL, NULL);
  napi_create_reference(env, self, 1, &alarm->self); /* an open alarm cannot be collected: libuv calls it */
  napi_create_reference(env, call.at[0], 1, &alarm->on_ring);
  napi_async_init(env, self, from_string(env, "SpoolAlarm"), &alarm->context);
  napi_add_async_cleanup_hook(env, on_environment_end, alarm, &alarm->hook);
  return self;
}
