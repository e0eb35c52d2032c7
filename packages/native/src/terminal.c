/* Terminals: their size, and their input modes. */
#include "addon.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

struct winsize size_of(Call *call, napi_value size) {
  return (struct winsize){
      .ws_col = (unsigned short)int_of(call, property(call, size, "cols"), "cols"),
      .ws_row = (unsigned short)int_of(call, property(call, size, "rows"), "rows"),
      .ws_xpixel = (unsigned short)optional_int(call, size, "widthPx"),
      .ws_ypixel = (unsigned short)optional_int(call, size, "heightPx"),
  };
}

napi_value js_set_size(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int master = int_of(&call, call.at[0], "master");
  struct winsize size = size_of(&call, call.at[1]);
  if (!call.failed && ioctl(master, TIOCSWINSZ, &size) == -1) throw_errno(env, errno, "ioctl", NULL);
  return NULL;
}

napi_value js_get_size(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int master = int_of(&call, call.at[0], "master");
  struct winsize size = {0};
  if (call.failed) return NULL;
  if (ioctl(master, TIOCGWINSZ, &size) == -1) return throw_errno(env, errno, "ioctl", NULL);
  napi_value result = NULL;
  napi_create_object(env, &result);
  put_int(env, result, "cols", size.ws_col);
  put_int(env, result, "rows", size.ws_row);
  put_int(env, result, "widthPx", size.ws_xpixel);
  put_int(env, result, "heightPx", size.ws_ypixel);
  return result;
}

/* The master reports the state of its slave. */
napi_value js_is_canonical(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int master = int_of(&call, call.at[0], "master");
  struct termios modes;
  if (call.failed) return NULL;
  if (tcgetattr(master, &modes) == -1) return throw_errno(env, errno, "tcgetattr", NULL);
  return from_bool(env, (modes.c_lflag & ICANON) != 0);
}

napi_value js_end_of_file_key(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int master = int_of(&call, call.at[0], "master");
  struct termios modes;
  if (call.failed) return NULL;
  if (tcgetattr(master, &modes) == -1) return throw_errno(env, errno, "tcgetattr", NULL);
  cc_t key = modes.c_cc[VEOF];
  return from_int(env, key == _POSIX_VDISABLE ? -1 : key);
}

napi_value js_stop_echo(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int slave = int_of(&call, call.at[0], "slave");
  struct termios modes;
  if (call.failed) return NULL;
  if (tcgetattr(slave, &modes) == -1) return throw_errno(env, errno, "tcgetattr", NULL);
  modes.c_lflag &= ~(tcflag_t)ECHO;
  if (tcsetattr(slave, TCSANOW, &modes) == -1) return throw_errno(env, errno, "tcsetattr", NULL);
  return NULL;
}
