/* File descriptors: reading, writing, locking, closing, and passing on over an exec. */
#include "addon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define SPOOL_CLOSE_RANGE_CLOEXEC 4u /* CLOSE_RANGE_CLOEXEC */

/* Closes an open fd and records that, so that clean-up can run over partly built structures. */
void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

int set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags == -1 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int set_cloexec(int fd, bool on) {
  int flags = fcntl(fd, F_GETFD);
  return flags == -1 ? -1 : fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC);
}

/* The record of getdents64; glibc declares it only under another name. */
struct entry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

/*
 * Marks every fd from `first` on close-on-exec. Called in the parent and in the vforked child, so it must be
 * async-signal-safe: hence getdents64 instead of opendir. The walk is for kernels before 5.11 and for sandboxes that
 * forbid close_range.
 */
int cloexec_from(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0u, SPOOL_CLOSE_RANGE_CLOEXEC) == 0) return 0;
  int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder == -1) return -1;
  _Alignas(struct entry) char buffer[4096];
  long length;
  while ((length = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < length;) {
      const struct entry *entry = (const struct entry *)(buffer + at);
      at += entry->length;
      int fd = 0;
      for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++) fd = fd * 10 + (*digit - '0');
      if (fd >= first) set_cloexec(fd, true);
    }
  }
  int error = errno;
  close(folder);
  errno = error;
  return length < 0 ? -1 : 0;
}

napi_value js_set_cloexec(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  bool on = bool_of(&call, call.at[1], "on");
  if (!call.failed && set_cloexec(fd, on) == -1) throw_errno(env, errno, "fcntl", NULL);
  return NULL;
}

napi_value js_cloexec_from(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int first = int_of(&call, call.at[0], "first");
  if (!call.failed && cloexec_from(first) == -1) throw_errno(env, errno, "close_range", NULL);
  return NULL;
}

/*
 * EINTR is not a failure: Linux has released the fd by then. EBADF throws, because a second close of the same number may close an
 * unrelated fd, and is always a bug in our code.
 */
napi_value js_close(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  if (!call.failed && close(fd) == -1 && errno != EINTR) throw_errno(env, errno, "close", NULL);
  return NULL;
}

napi_value js_read(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  Bytes into = bytes_of(&call, call.at[1], "into");
  if (call.failed) return NULL;
  ssize_t count;
  RETRY(count, read(fd, into.data, into.length));
  return outcome(env, count);
}

/* Writes bytes. Node ignores SIGPIPE, so a reader that has left is reported as -EPIPE here. */
napi_value js_write(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  Bytes bytes = bytes_of(&call, call.at[1], "bytes");
  if (call.failed) return NULL;
  ssize_t count;
  RETRY(count, write(fd, bytes.data, bytes.length));
  return outcome(env, count);
}

napi_value js_write_at(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  Bytes bytes = bytes_of(&call, call.at[1], "bytes");
  int position = int_of(&call, call.at[2], "position");
  if (call.failed) return NULL;
  ssize_t count;
  RETRY(count, pwrite(fd, bytes.data, bytes.length, position));
  return outcome(env, count);
}

napi_value js_available(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  int count = 0;
  if (call.failed) return NULL;
  if (ioctl(fd, FIONREAD, &count) == -1) return throw_errno(env, errno, "ioctl", NULL);
  return from_int(env, count);
}

napi_value js_is_readable(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct pollfd asked = {.fd = int_of(&call, call.at[0], "fd"), .events = POLLIN};
  if (call.failed) return NULL;
  int count;
  RETRY(count, poll(&asked, 1, 0));
  if (count == -1) return throw_errno(env, errno, "poll", NULL);
  return from_bool(env, (asked.revents & POLLIN) != 0);
}

napi_value js_unlock(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  if (call.failed) return NULL;
  int result;
  RETRY(result, flock(fd, LOCK_UN));
  return from_int(env, result == -1 ? -errno : 0);
}

napi_value js_try_lock(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  if (call.failed) return NULL;
  int result;
  RETRY(result, flock(fd, LOCK_EX | LOCK_NB));
  if (result == -1 && errno != EWOULDBLOCK) return throw_errno(env, errno, "flock", NULL);
  return from_bool(env, result == 0);
}
