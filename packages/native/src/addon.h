/*
 * The few kernel calls that Node lacks. The contract is `Native` in index.ts; the C files explain the implementation.
 *
 * Rules: no threads, no state except the pollers, pumps and one grace period, no blocking (`syncFiles` waits in libuv's pool). Calls on hot paths return -errno; the others throw an
 * Error with `code`, `errno` (negative, as in Node) and `syscall`. Linux only, 5.4 or newer (waitid on a pidfd).
 * Constants missing from the headers of older distributions are defined where they are used: these numbers are ABI.
 */
#pragma once

#define _GNU_SOURCE
#define NAPI_VERSION 8

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/* Every function of `Native`: its name in JavaScript, and in C. */
#define SPOOL_FUNCTIONS(F) \
  F(spawn, js_spawn)                              \
  F(exitStatus, js_exit_status)                   \
  F(canReadForeignExit, js_can_read_foreign_exit) \
  F(pidfdOpen, js_pidfd_open)                     \
  F(pidfdSignal, js_pidfd_signal)                 \
  F(pidfdSignalGroup, js_pidfd_signal_group)      \
  F(setLimit, js_set_limit)                       \
  F(endWithParent, js_end_with_parent)            \
  F(transfer, js_transfer)                        \
  F(relay, js_relay)                              \
  F(openPipe, js_open_pipe)                       \
  F(splice, js_splice)                            \
  F(available, js_available)                      \
  F(isReadable, js_is_readable)                   \
  F(read, js_read)                                \
  F(write, js_write)                              \
  F(writeAt, js_write_at)                         \
  F(setSize, js_set_size)                         \
  F(getSize, js_get_size)                         \
  F(isCanonical, js_is_canonical)                 \
  F(endOfFileKey, js_end_of_file_key)             \
  F(stopEcho, js_stop_echo)                       \
  F(socketPair, js_socket_pair)                   \
  F(sendFds, js_send_fds)                         \
  F(receiveFds, js_receive_fds)                   \
  F(listenUnix, js_listen_unix)                   \
  F(accept, js_accept)                            \
  F(writeParts, js_write_parts)                   \
  F(peerUid, js_peer_uid)                         \
  F(tryLock, js_try_lock)                         \
  F(unlock, js_unlock)                            \
  F(setCloexec, js_set_cloexec)                   \
  F(cloexecFrom, js_cloexec_from)                 \
  F(close, js_close)                              \
  F(duplicate, js_duplicate)                      \
  F(syncFiles, js_sync_files)                     \
  F(createPoller, js_create_poller)               \
  F(createAlarm, js_create_alarm)                 \
  F(connectUnix, js_connect_unix)                 \
  F(isTerminal, js_is_terminal)                   \
  F(quit, js_quit)                                \
  F(stopOutputProcessing, js_stop_output_processing) \
  F(searchNewer, js_search_newer)                 \
  F(foundNewer, js_found_newer)                \
  F(createAttachPump, js_create_attach_pump)

#define DECLARE(name, function) napi_value function(napi_env env, napi_callback_info info);
SPOOL_FUNCTIONS(DECLARE)
#undef DECLARE

/* Retries a system call that a signal interrupted before it had an effect. */
#define RETRY(result, call) \
  do                        \
    (result) = (call);      \
  while ((result) == -1 && errno == EINTR)

/* ---- call.c: arguments, results, errors ----------------------------------------------------------------------------
 *
 * A call reads all its arguments first; a wrong one leaves a TypeError pending and sets `failed`, so that each function needs one
 * check instead of one per argument. `name` appears in the message.
 */

#define ARGUMENTS_MAX 8

typedef struct {
  napi_env env;
  napi_value self;
  napi_value at[ARGUMENTS_MAX];
  bool failed;
} Call;

typedef struct {
  uint8_t *data;
  size_t length; /* in elements */
} Bytes;

Call begin(napi_env env, napi_callback_info info);
void wrong(Call *call, const char *name, const char *expected);
int64_t int64_of(Call *call, napi_value value, const char *name);
int int_of(Call *call, napi_value value, const char *name);
bool bool_of(Call *call, napi_value value, const char *name);
Bytes bytes_of(Call *call, napi_value value, const char *name);
Bytes typed_array_of(Call *call, napi_value value, napi_typedarray_type wanted, const char *name, const char *expected);
uint32_t length_of(Call *call, napi_value array, const char *name);
napi_value property(Call *call, napi_value object, const char *name);
int optional_int(Call *call, napi_value object, const char *name); /* 0 if the property is missing */
bool is_undefined(napi_env env, napi_value value);
char *string_of(Call *call, napi_value value, const char *name);   /* newly allocated, or NULL */
char **strings_of(Call *call, napi_value array, const char *name); /* newly allocated and NULL-terminated, or NULL */
void free_strings(char **strings);
void *allocate(size_t size); /* zeroed, never NULL */

napi_value from_int(napi_env env, int64_t number);
napi_value from_bool(napi_env env, bool truth);
napi_value from_string(napi_env env, const char *text);
napi_value null_of(napi_env env);
void put_int(napi_env env, napi_value object, const char *name, int64_t number);
napi_value outcome(napi_env env, int64_t result); /* the result of a system call, or -errno if that is -1 */
napi_value throw_errno(napi_env env, int error, const char *syscall, const char *path); /* returns NULL for the caller */

/* ---- fds.c, terminal.c, spawn.c: functions that other files use -------------------------------------------------- */

void shut(int *fd);
int set_nonblocking(int fd);
int set_cloexec(int fd, bool on);
int cloexec_from(int first);
struct winsize size_of(Call *call, napi_value size);
pid_t start_child(int (*body)(void *), void *argument, int *pidfd);
void reap(pid_t pid);
