/* Functions that every call needs: reading its arguments, creating its results, throwing its errors. */
#include "addon.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

Call begin(napi_env env, napi_callback_info info) {
  Call call = {.env = env};
  size_t count = ARGUMENTS_MAX; /* a missing argument reads as undefined, and fails its type check */
  call.failed = napi_get_cb_info(env, info, &count, call.at, &call.self, NULL) != napi_ok;
  return call;
}

void wrong(Call *call, const char *name, const char *expected) {
  if (call->failed) return;
  char message[160];
  snprintf(message, sizeof message, "spool_native: %s must be %s", name, expected);
  napi_throw_type_error(call->env, "ERR_INVALID_ARG_TYPE", message);
  call->failed = true;
}

int64_t int64_of(Call *call, napi_value value, const char *name) {
  int64_t number = 0;
  if (!call->failed && napi_get_value_int64(call->env, value, &number) != napi_ok) wrong(call, name, "a number");
  return number;
}

int int_of(Call *call, napi_value value, const char *name) {
  int64_t number = int64_of(call, value, name);
  if (number < INT_MIN || number > INT_MAX) wrong(call, name, "a number of 32 bits");
  return (int)number;
}

bool bool_of(Call *call, napi_value value, const char *name) {
  bool truth = false;
  if (!call->failed && napi_get_value_bool(call->env, value, &truth) != napi_ok) wrong(call, name, "a boolean");
  return truth;
}

Bytes typed_array_of(Call *call, napi_value value, napi_typedarray_type wanted, const char *name,
                            const char *expected) {
  Bytes bytes = {0};
  napi_typedarray_type type = napi_int8_array;
  void *data = NULL;
  if (call->failed) return bytes;
  napi_status status = napi_get_typedarray_info(call->env, value, &type, &bytes.length, &data, NULL, NULL);
  if (status != napi_ok || type != wanted) {
    wrong(call, name, expected);
    return (Bytes){0};
  }
  bytes.data = data;
  return bytes;
}

Bytes bytes_of(Call *call, napi_value value, const char *name) {
  return typed_array_of(call, value, napi_uint8_array, name, "a Uint8Array");
}

/* V8 itself aborts when memory runs out, so a failed malloc of a few bytes may do the same. */
void *allocate(size_t size) {
  void *memory = calloc(1, size);
  if (!memory) napi_fatal_error("spool_native", NAPI_AUTO_LENGTH, "out of memory", NAPI_AUTO_LENGTH);
  return memory;
}

/*
 * Returns a newly allocated C string, or NULL. A NUL inside would silently cut the argument of an execve or a path, so it is
 * refused.
 */
char *string_of(Call *call, napi_value value, const char *name) {
  size_t length = 0;
  if (call->failed) return NULL;
  if (napi_get_value_string_utf8(call->env, value, NULL, 0, &length) != napi_ok) {
    wrong(call, name, "a string");
    return NULL;
  }
  char *text = allocate(length + 1);
  napi_get_value_string_utf8(call->env, value, text, length + 1, &length);
  if (strlen(text) == length) return text;
  free(text);
  wrong(call, name, "a string without NUL");
  return NULL;
}

uint32_t length_of(Call *call, napi_value array, const char *name) {
  uint32_t length = 0;
  if (!call->failed && napi_get_array_length(call->env, array, &length) != napi_ok) wrong(call, name, "an array");
  return length;
}

void free_strings(char **strings) {
  if (!strings) return;
  for (char **each = strings; *each; each++) free(*each);
  free(strings);
}

/* Returns a newly allocated, NULL-terminated vector of newly allocated strings, or NULL. */
char **strings_of(Call *call, napi_value array, const char *name) {
  uint32_t length = length_of(call, array, name);
  if (call->failed) return NULL;
  char **strings = allocate((length + 1) * sizeof *strings);
  for (uint32_t i = 0; i < length && !call->failed; i++) {
    napi_value element = NULL;
    napi_get_element(call->env, array, i, &element);
    strings[i] = string_of(call, element, name);
  }
  if (!call->failed) return strings;
  free_strings(strings);
  return NULL;
}

napi_value property(Call *call, napi_value object, const char *name) {
  napi_value value = NULL;
  if (!call->failed && napi_get_named_property(call->env, object, name, &value) != napi_ok)
    wrong(call, name, "readable");
  return value;
}

bool is_undefined(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  return type == napi_undefined;
}

int optional_int(Call *call, napi_value object, const char *name) {
  napi_value value = property(call, object, name);
  return call->failed || is_undefined(call->env, value) ? 0 : int_of(call, value, name);
}

napi_value from_int(napi_env env, int64_t number) {
  napi_value value = NULL;
  napi_create_int64(env, number, &value);
  return value;
}

napi_value from_bool(napi_env env, bool truth) {
  napi_value value = NULL;
  napi_get_boolean(env, truth, &value);
  return value;
}

napi_value from_string(napi_env env, const char *text) {
  napi_value value = NULL;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

napi_value null_of(napi_env env) {
  napi_value value = NULL;
  napi_get_null(env, &value);
  return value;
}

void put_int(napi_env env, napi_value object, const char *name, int64_t number) {
  napi_set_named_property(env, object, name, from_int(env, number));
}

/* Returns the result of a system call on hot paths: its return value, or -errno. */
napi_value outcome(napi_env env, int64_t result) { return from_int(env, result == -1 ? -errno : result); }

/* Throws errors like Node's own fs: "ENOENT: no such file or directory, execve 'nosuch'". Returns NULL, for the caller to return. */
napi_value throw_errno(napi_env env, int error, const char *syscall, const char *path) {
  char code[32], reason[128], message[512];
  uv_err_name_r(-error, code, sizeof code);
  uv_strerror_r(-error, reason, sizeof reason);
  if (path) snprintf(message, sizeof message, "%s: %s, %s '%s'", code, reason, syscall, path);
  else snprintf(message, sizeof message, "%s: %s, %s", code, reason, syscall);
  napi_value thrown = NULL;
  if (napi_create_error(env, from_string(env, code), from_string(env, message), &thrown) != napi_ok) return NULL;
  put_int(env, thrown, "errno", -error);
  napi_set_named_property(env, thrown, "syscall", from_string(env, syscall));
  if (path) napi_set_named_property(env, thrown, "path", from_string(env, path));
  napi_throw(env, thrown);
  return NULL;
}
