/* Calls for a command that ends after a few milliseconds: loading Node's own modules for them would take longer than the command. */
#include "addon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

/* It does not wait: a unix socket accepts at once, or its backlog is full (EAGAIN). */
napi_value js_connect_unix(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  char *path = string_of(&call, call.at[0], "path");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  napi_value result = NULL;
  if (!call.failed && strlen(path) >= sizeof address.sun_path) {
    throw_errno(env, ENAMETOOLONG, "connect", path);
  } else if (!call.failed) {
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int done = -1;
    if (fd >= 0) RETRY(done, connect(fd, (struct sockaddr *)&address, sizeof address));
    int error = errno;
    if (done == -1) shut(&fd);
    result = done == 0 ? from_int(env, fd) : throw_errno(env, error, "connect", path);
  }
  free(path);
  return result;
}

napi_value js_is_terminal(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  if (call.failed) return NULL;
  return from_bool(env, isatty(fd) == 1);
}

/* Ends the process at once, without handlers and without waiting for threads. The caller has written everything. */
napi_value js_quit(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int code = int_of(&call, call.at[0], "code");
  if (call.failed) return NULL;
  _exit(code);
}

/* Newlines then pass unchanged. When Node leaves its raw mode, it restores this mode together with the others. */
napi_value js_stop_output_processing(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  struct termios modes;
  if (call.failed) return NULL;
  if (tcgetattr(fd, &modes) == -1) return from_int(env, -errno);
  modes.c_oflag &= ~(tcflag_t)OPOST;
  int done;
  RETRY(done, tcsetattr(fd, TCSANOW, &modes));
  return outcome(env, done);
}
