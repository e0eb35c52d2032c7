/* Unix sockets: pairs, listening sockets, the peer's user, and fds that travel with bytes. */
#include "addon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define SPOOL_SCM_MAX_FD 253 /* SCM_MAX_FD: the kernel takes no more fds in one message */

napi_value js_socket_pair(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value kind = NULL;
  bool is_packets = false;
  napi_get_cb_info(env, info, &count, &kind, NULL, NULL);
  if (count > 0) napi_get_value_bool(env, kind, &is_packets);
  int pair[2];
  if (socketpair(AF_UNIX, (is_packets ? SOCK_SEQPACKET : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == -1)
    return throw_errno(env, errno, "socketpair", NULL);
  napi_value result = NULL;
  napi_create_array_with_length(env, 2, &result);
  napi_set_element(env, result, 0, from_int(env, pair[0]));
  napi_set_element(env, result, 1, from_int(env, pair[1]));
  return result;
}

/* Room for the most fds that the kernel puts into one message, aligned like a header. */
typedef union {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * SPOOL_SCM_MAX_FD)];
} Ancillary;

napi_value js_send_fds(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int socket = int_of(&call, call.at[0], "socket");
  Bytes bytes = bytes_of(&call, call.at[1], "bytes");
  uint32_t count = length_of(&call, call.at[2], "fds");
  int fds[SPOOL_SCM_MAX_FD];
  if (!call.failed && count > SPOOL_SCM_MAX_FD) return from_int(env, -EINVAL);
  for (uint32_t i = 0; i < count && !call.failed; i++) {
    napi_value element = NULL;
    napi_get_element(env, call.at[2], i, &element);
    fds[i] = int_of(&call, element, "fds");
  }
  if (call.failed) return NULL;
  if (bytes.length == 0) return from_int(env, 0); /* a stream has no empty message that could carry the fds */

  struct iovec vector = {.iov_base = bytes.data, .iov_len = bytes.length};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  Ancillary ancillary = {0};
  if (count > 0) {
    message.msg_control = ancillary.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  }
  ssize_t sent;
  RETRY(sent, sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
  return outcome(env, sent);
}

napi_value js_receive_fds(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int socket = int_of(&call, call.at[0], "socket");
  Bytes into = bytes_of(&call, call.at[1], "into");
  uint32_t length = length_of(&call, call.at[2], "fds");
  if (call.failed) return NULL;
  struct iovec vector = {.iov_base = into.data, .iov_len = into.length};
  Ancillary ancillary;
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = ancillary.bytes, .msg_controllen = sizeof ancillary};
  ssize_t count;
  RETRY(count, recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  if (count == -1) return outcome(env, count);

  /*
   * Our buffer has room for the maximum, so a truncated message means that the fd table was full, and some fds are lost for good.
   * The others are closed, because a part of a session's fds is useless. The bytes are complete: they are returned, with -1 in
   * place of the fds. (The kernel delivers the fds of one message at a time.)
   */
  bool is_cut = message.msg_flags & MSG_CTRUNC;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < received; i++) {
      int fd;
      memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      if (is_cut) close(fd);
      else napi_set_element(env, call.at[2], length++, from_int(env, fd));
    }
  }
  if (is_cut) napi_set_element(env, call.at[2], length, from_int(env, -1));
  return from_int(env, count);
}

/*
 * The mode comes from fchmod on the socket before bind: Linux creates the file with the mode of the socket's own inode.
 * A umask around bind would do the same, but it belongs to the whole process, and libuv's threads create files.
 */
napi_value js_listen_unix(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  char *path = string_of(&call, call.at[0], "path");
  int backlog = int_of(&call, call.at[1], "backlog");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  napi_value result = NULL;
  if (!call.failed && strlen(path) >= sizeof address.sun_path) {
    throw_errno(env, ENAMETOOLONG, "bind", path);
  } else if (!call.failed) {
    strcpy(address.sun_path, path);
    const char *stage = "socket";
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool done = fd >= 0 && (stage = "fchmod", fchmod(fd, 0600)) == 0 &&
                (stage = "bind", bind(fd, (struct sockaddr *)&address, sizeof address)) == 0 &&
                (stage = "listen", listen(fd, backlog)) == 0;
    int error = errno;
    if (!done) shut(&fd);
    result = done ? from_int(env, fd) : throw_errno(env, error, stage, path);
  }
  free(path);
  return result;
}

napi_value js_accept(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int socket = int_of(&call, call.at[0], "socket");
  if (call.failed) return NULL;
  int fd;
  RETRY(fd, accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
  return outcome(env, fd);
}

/* The number of parts in one call; the rest is left for the next call, as with any short write. */
#define PARTS_MAX 64

napi_value js_write_parts(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int socket = int_of(&call, call.at[0], "socket");
  uint32_t length = length_of(&call, call.at[1], "parts");
  struct iovec parts[PARTS_MAX];
  if (length > PARTS_MAX) length = PARTS_MAX;
  for (uint32_t i = 0; i < length && !call.failed; i++) {
    napi_value part;
    napi_get_element(env, call.at[1], i, &part);
    Bytes bytes = bytes_of(&call, part, "parts");
    parts[i] = (struct iovec){.iov_base = bytes.data, .iov_len = bytes.length};
  }
  if (call.failed) return NULL;
  ssize_t count;
  RETRY(count, writev(socket, parts, (int)length));
  return outcome(env, count);
}

napi_value js_peer_uid(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int socket = int_of(&call, call.at[0], "socket");
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (call.failed) return NULL;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == -1)
    return throw_errno(env, errno, "getsockopt", NULL);
  return from_int(env, peer.uid);
}
