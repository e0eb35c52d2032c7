/*
 * AttachPump: moves bytes between a viewer's terminal and its daemon's socket, without JavaScript while nothing is to be decided.
 *
 * JavaScript arms the pump when nothing is to be decided, and defines which bytes are plain: those that a viewer may type unexamined,
 * and the bytes and drawing sequences that a terminal may be shown unchanged. A frame of plain output that continues at the known
 * offset is written to the terminal; plain keys become an input frame. Everything else is handed to JavaScript unchanged, in order,
 * and disarms the pump. `state`, which JavaScript shares, has the counts of the passed bytes.
 *
 * Frames: see packages/protocol/src/frame.ts.
 */
#include "addon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

/* The numbers that JavaScript shares (`PUMP_STATE` in index.ts). */
enum { OUTPUT_AT, OUTPUT_MAX, TYPED_AT, TYPED_CONFIRMED, KEPT_BYTES, LAST_BYTE, CHANNEL, ARMED, STATE_LENGTH };
enum { ARMED_KEYS = 1, ARMED_OUTPUT = 2 };

/* The kinds of events (`PUMP` in index.ts). */
enum { GOT_KEYS, KEYS_ENDED, GOT_DATA, DATA_ENDED, TERMINAL_FULL, SOCKET_FULL };

#define HEADER_BYTES 20
#define TYPE_OUTPUT 16
#define TYPE_INPUT 17
#define TYPE_TYPED 20
#define FLAG_TYPED 2
#define ESC 0x1b

/* A longer piece is a flood, for which JavaScript is fast enough; also, its terminal may be slow. */
#define OUTPUT_BYTES_MAX 4096
#define READS_AT_END 64

typedef struct {
  napi_env env;
  uv_poll_t keys_handle, data_handle;
  int terminal, socket;
  bool is_closed;
  int handles; /* handles of libuv that are not closed yet */
  int owners;  /* libuv and the JavaScript object: the last owner frees it */
  napi_ref self, on_event, held; /* whether `held` refers to the arrays below */
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
  double *state;
  Bytes keys, data, kept; /* data from the terminal, data from the socket, and unconfirmed keys */
  uint8_t is_typed[256];  /* bytes that are always plain keys */
  uint8_t is_shown[256];  /* bytes that a terminal may be shown */
  uint8_t drawing[128];   /* by final byte: the length that the parameters of a drawing sequence must not reach */
  Bytes frame;            /* the input frame that is being sent, with its prefix in place */
  size_t prefix;          /* bytes of its payload before the keys */
  /* The position of JavaScript's reader: inside a header, or this many bytes before the end of a payload. */
  uint8_t header[HEADER_BYTES];
  size_t header_filled;
  uint32_t payload_left;
} Pump;

static const napi_type_tag PUMP_TAG = {0x73706f6f6c2d7075ULL, 0x6d702d3030303031ULL};

static void release_pump(Pump *pump) {
  if (--pump->owners == 0) free(pump);
}

static void on_handle_closed(uv_handle_t *handle) {
  Pump *pump = handle->data;
  if (--pump->handles > 0) return;
  napi_remove_async_cleanup_hook(pump->hook);
  release_pump(pump);
}

static void finalize_pump(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  release_pump(data);
}

static void close_pump(Pump *pump) {
  if (pump->is_closed) return;
  pump->is_closed = true;
  uv_close((uv_handle_t *)&pump->keys_handle, on_handle_closed);
  uv_close((uv_handle_t *)&pump->data_handle, on_handle_closed);
  napi_async_destroy(pump->env, pump->context);
  napi_delete_reference(pump->env, pump->held);
  napi_delete_reference(pump->env, pump->on_event);
  napi_delete_reference(pump->env, pump->self);
}

static void on_environment_end(napi_async_cleanup_hook_handle hook, void *data) {
  (void)hook;
  close_pump(data);
}

/* From here on JavaScript decides, until it arms the pump again. */
static void tell(Pump *pump, int what, size_t from, size_t to) {
  napi_env env = pump->env;
  napi_handle_scope scope;
  pump->state[ARMED] = 0;
  if (pump->is_closed || napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value global, on_event;
  napi_get_global(env, &global);
  napi_get_reference_value(env, pump->on_event, &on_event);
  napi_value arguments[] = {from_int(env, what), from_int(env, (int64_t)from), from_int(env, (int64_t)to)};
  napi_status called = napi_make_callback(env, pump->context, global, on_event, 3, arguments, NULL);
  if (called == napi_pending_exception) {
    napi_value thrown;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
  }
  napi_close_handle_scope(env, scope);
}

static bool is_armed(const Pump *pump, int what) { return !pump->is_closed && ((int)pump->state[ARMED] & what); }

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write_u32(uint8_t *at, uint32_t number) {
  at[0] = (uint8_t)(number >> 24), at[1] = (uint8_t)(number >> 16), at[2] = (uint8_t)(number >> 8), at[3] = (uint8_t)number;
}

static uint64_t read_u64(const uint8_t *at) { return (uint64_t)read_u32(at) << 32 | read_u32(at + 4); }

/* ---- keys ---------------------------------------------------------------------------------------------------------- */

static bool are_keys(const Pump *pump, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!pump->is_typed[pump->keys.data[i]]) return false;
  return true;
}

/* Sends them as one frame and keeps them until they are confirmed. Returns false if nothing was done. */
static bool send_keys(Pump *pump, size_t length) {
  double *state = pump->state;
  size_t kept = (size_t)state[KEPT_BYTES];
  size_t payload = pump->prefix + length, whole = HEADER_BYTES + payload, sent = 0;
  if (whole > pump->frame.length || kept + length > pump->kept.length || !are_keys(pump, length)) return false;
  uint8_t *frame = pump->frame.data;
  uint64_t offset = (uint64_t)state[TYPED_AT];
  write_u32(frame, (uint32_t)payload);
  frame[4] = TYPE_INPUT;
  frame[5] = FLAG_TYPED;
  frame[6] = frame[7] = 0;
  write_u32(frame + 8, (uint32_t)state[CHANNEL]);
  write_u32(frame + 12, (uint32_t)(offset >> 32));
  write_u32(frame + 16, (uint32_t)offset);
  memcpy(frame + HEADER_BYTES + pump->prefix, pump->keys.data, length);
  while (sent < whole) {
    ssize_t count;
    RETRY(count, send(pump->socket, frame + sent, whole - sent, MSG_DONTWAIT | MSG_NOSIGNAL));
    if (count <= 0) break; /* full, or gone: JavaScript sends the rest, or detects the end */
    sent += (size_t)count;
  }
  memcpy(pump->kept.data + kept, pump->keys.data, length);
  state[KEPT_BYTES] = (double)(kept + length);
  state[TYPED_AT] += (double)length;
  if (sent < whole) tell(pump, SOCKET_FULL, sent, whole);
  return true;
}

static void on_terminal(uv_poll_t *handle, int status, int unused) {
  (void)unused;
  Pump *pump = handle->data;
  ssize_t count = 0;
  if (status == 0) RETRY(count, read(pump->terminal, pump->keys.data, pump->keys.length));
  if (count == -1 && errno == EAGAIN) return;
  if (count <= 0) {
    uv_poll_stop(handle);
    return tell(pump, KEYS_ENDED, 0, 0);
  }
  if (is_armed(pump, ARMED_KEYS) && send_keys(pump, (size_t)count)) return;
  tell(pump, GOT_KEYS, 0, (size_t)count);
}

/* ---- output -------------------------------------------------------------------------------------------------------- */

/* Text, and complete drawing sequences. */
static bool is_plain(const Pump *pump, const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    if (pump->is_shown[bytes[at]]) {
      at++;
      continue;
    }
    if (bytes[at] != ESC || at + 2 >= length || bytes[at + 1] != '[') return false;
    size_t from = at + 2, to = from;
    while (to < length && bytes[to] >= '0' && bytes[to] <= ';') to++;
    if (to == length || bytes[to] >= 128 || to - from >= pump->drawing[bytes[to]]) return false;
    at = to + 1;
  }
  return true;
}

/* Writes a frame's output to the terminal. Returns the number of bytes that the terminal took, or -1 if the output is not plain. */
static ssize_t show(Pump *pump, const uint8_t *header, const uint8_t *payload, size_t length) {
  double *state = pump->state;
  double offset = (double)read_u64(header + 12);
  if (header[5] != 0 || length == 0 || length > OUTPUT_BYTES_MAX) return -1;
  if (offset != state[OUTPUT_AT] || offset + (double)length > state[OUTPUT_MAX]) return -1;
  if (!is_plain(pump, payload, length)) return -1;
  size_t shown = 0;
  while (shown < length) {
    ssize_t count;
    RETRY(count, write(pump->terminal, payload + shown, length - shown));
    if (count <= 0) break;
    shown += (size_t)count;
  }
  state[OUTPUT_AT] += (double)length;
  state[LAST_BYTE] = payload[length - 1];
  return (ssize_t)shown;
}

static void confirm(Pump *pump, double offset) {
  double *state = pump->state;
  if (offset > state[TYPED_AT]) offset = state[TYPED_AT];
  if (offset <= state[TYPED_CONFIRMED]) return;
  state[TYPED_CONFIRMED] = offset;
  if (offset == state[TYPED_AT]) state[KEPT_BYTES] = 0;
}

/* Consumes the frames at the start of the data that need no decision. Returns their number of bytes. */
static size_t take_frames(Pump *pump, size_t length) {
  size_t at = 0;
  while (is_armed(pump, ARMED_OUTPUT) && length - at >= HEADER_BYTES) {
    const uint8_t *header = pump->data.data + at, *payload = header + HEADER_BYTES;
    uint32_t bytes = read_u32(header);
    if (read_u32(header + 8) != (uint32_t)pump->state[CHANNEL] || bytes > length - at - HEADER_BYTES) break;
    if (header[4] == TYPE_TYPED && bytes == 0) {
      confirm(pump, (double)read_u64(header + 12));
    } else if (header[4] == TYPE_OUTPUT) {
      ssize_t shown = show(pump, header, payload, bytes);
      if (shown < 0) break;
      if ((size_t)shown < bytes) {
        size_t from = at + HEADER_BYTES + (size_t)shown;
        tell(pump, TERMINAL_FULL, from, at + HEADER_BYTES + bytes);
      }
    } else break;
    at += HEADER_BYTES + bytes;
  }
  return at;
}

/* Follows the frames that JavaScript gets, to find the start of the next one. */
static void follow(Pump *pump, size_t from, size_t to) {
  while (from < to) {
    size_t left = to - from;
    if (pump->payload_left > 0) {
      size_t part = left < pump->payload_left ? left : pump->payload_left;
      pump->payload_left -= (uint32_t)part;
      from += part;
      continue;
    }
    size_t wanted = HEADER_BYTES - pump->header_filled, part = left < wanted ? left : wanted;
    memcpy(pump->header + pump->header_filled, pump->data.data + from, part);
    pump->header_filled += part;
    from += part;
    if (pump->header_filled < HEADER_BYTES) return;
    pump->header_filled = 0;
    pump->payload_left = read_u32(pump->header);
  }
}

/* Returns false at the end of the data: there is none left, or none for now. */
static bool read_data(Pump *pump) {
  ssize_t count;
  RETRY(count, recv(pump->socket, pump->data.data, pump->data.length, MSG_DONTWAIT));
  if (count == -1 && errno == EAGAIN) return false;
  if (count <= 0) {
    int error = count == 0 ? 0 : errno;
    uv_poll_stop(&pump->data_handle);
    tell(pump, DATA_ENDED, (size_t)error, 0);
    return false;
  }
  size_t length = (size_t)count;
  bool is_between = pump->header_filled == 0 && pump->payload_left == 0;
  size_t at = is_between ? take_frames(pump, length) : 0;
  if (at == length || pump->is_closed) return !pump->is_closed;
  follow(pump, at, length);
  tell(pump, GOT_DATA, at, length);
  return !pump->is_closed;
}

static void on_socket(uv_poll_t *handle, int status, int unused) {
  (void)unused;
  Pump *pump = handle->data;
  if (status == 0) {
    read_data(pump);
    return;
  }
  /* libuv has stopped polling a socket with an error: the data from before it is read, and then the error. */
  for (int reads = 0; reads < READS_AT_END && read_data(pump); reads++);
  if (!pump->is_closed && uv_is_active((uv_handle_t *)handle) == 0) tell(pump, DATA_ENDED, ECONNRESET, 0);
}

/* ---- the object ---------------------------------------------------------------------------------------------------- */

static Pump *pump_of(Call *call) {
  void *pump = NULL;
  bool is_pump = false;
  if (!call->failed) napi_check_object_type_tag(call->env, call->self, &PUMP_TAG, &is_pump);
  if (is_pump) napi_unwrap(call->env, call->self, &pump);
  if (!pump) wrong(call, "this", "an AttachPump");
  return pump;
}

static napi_value js_pump_close(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Pump *pump = pump_of(&call);
  if (!call.failed) close_pump(pump);
  return NULL;
}

static napi_value js_pump_set_prefix(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Pump *pump = pump_of(&call);
  Bytes prefix = bytes_of(&call, call.at[0], "prefix");
  if (!call.failed && HEADER_BYTES + prefix.length > pump->frame.length) wrong(&call, "prefix", "shorter than the frame");
  if (call.failed || pump->is_closed) return NULL;
  memcpy(pump->frame.data + HEADER_BYTES, prefix.data, prefix.length);
  pump->prefix = prefix.length;
  return NULL;
}

static void copy_table(Call *call, const char *name, uint8_t *table, size_t length) {
  Bytes bytes = bytes_of(call, property(call, call->at[0], name), name);
  if (!call->failed && bytes.length != length) wrong(call, name, "of another length");
  if (!call->failed) memcpy(table, bytes.data, length);
}

/* The memory of a JavaScript array, which is protected from the garbage collector. */
static Bytes hold(Call *call, napi_value all, const char *name, napi_typedarray_type type) {
  napi_value array = property(call, call->at[0], name);
  Bytes bytes = typed_array_of(call, array, type, name, "an array of its type");
  if (!call->failed) napi_set_named_property(call->env, all, name, array);
  return bytes;
}

napi_value js_create_attach_pump(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  napi_valuetype type = napi_undefined;
  if (!call.failed) napi_typeof(env, call.at[1], &type);
  if (type != napi_function) wrong(&call, "onEvent", "a function");
  if (call.failed) return NULL;
  Pump *pump = allocate(sizeof *pump);
  napi_value held = NULL, self = NULL;
  napi_create_object(env, &held);
  pump->env = env;
  pump->terminal = int_of(&call, property(&call, call.at[0], "terminal"), "terminal");
  pump->socket = int_of(&call, property(&call, call.at[0], "socket"), "socket");
  Bytes state = hold(&call, held, "state", napi_float64_array);
  if (!call.failed && state.length != STATE_LENGTH) wrong(&call, "state", "of the length of PUMP_STATE");
  pump->state = (double *)(void *)state.data;
  pump->keys = hold(&call, held, "keys", napi_uint8_array);
  pump->data = hold(&call, held, "data", napi_uint8_array);
  pump->kept = hold(&call, held, "kept", napi_uint8_array);
  pump->frame = hold(&call, held, "frame", napi_uint8_array);
  copy_table(&call, "isTyped", pump->is_typed, sizeof pump->is_typed);
  copy_table(&call, "isShown", pump->is_shown, sizeof pump->is_shown);
  copy_table(&call, "drawing", pump->drawing, sizeof pump->drawing);
  uv_loop_t *loop = NULL;
  int error = 0;
  if (!call.failed) {
    error = napi_get_uv_event_loop(env, &loop) == napi_ok ? 0 : -EINVAL;
    if (error == 0) error = uv_poll_init(loop, &pump->keys_handle, pump->terminal);
  }
  if (call.failed || error != 0) {
    free(pump);
    return call.failed ? NULL : throw_errno(env, -error, "uv_poll_init", NULL);
  }
  pump->keys_handle.data = pump->data_handle.data = pump;
  pump->owners = 2;
  error = uv_poll_init(loop, &pump->data_handle, pump->socket);
  if (error != 0) {
    /* The first handle belongs to libuv until it is closed. */
    pump->handles = 1;
    pump->is_closed = true;
    pump->owners = 1;
    napi_add_async_cleanup_hook(env, on_environment_end, pump, &pump->hook);
    uv_close((uv_handle_t *)&pump->keys_handle, on_handle_closed);
    return throw_errno(env, -error, "uv_poll_init", NULL);
  }
  pump->handles = 2;
  uv_poll_start(&pump->keys_handle, UV_READABLE, on_terminal);
  uv_poll_start(&pump->data_handle, UV_READABLE, on_socket);
  napi_property_descriptor methods[] = {
      {"setPrefix", NULL, js_pump_set_prefix, NULL, NULL, NULL, napi_default, NULL},
      {"close", NULL, js_pump_close, NULL, NULL, NULL, napi_default, NULL},
  };
  napi_create_object(env, &self);
  napi_define_properties(env, self, sizeof methods / sizeof *methods, methods);
  napi_type_tag_object(env, self, &PUMP_TAG);
  napi_wrap(env, self, pump, finalize_pump, NULL, NULL);
  napi_create_reference(env, self, 1, &pump->self);
  napi_create_reference(env, call.at[1], 1, &pump->on_event);
  napi_create_reference(env, held, 1, &pump->held);
  napi_async_init(env, self, from_string(env, "SpoolAttachPump"), &pump->context);
  napi_add_async_cleanup_hook(env, on_environment_end, pump, &pump->hook);
  return self;
}
