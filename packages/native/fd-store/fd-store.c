/*
 * Keeps a copy of every file descriptor of the daemon, so that the sessions survive even if holder and keeper are killed at the
 * same moment: `spool-fd-store LINK NODE HOLDER`. Decision 022.
 *
 * Both processes hold the other end of LINK. A message is a packet: an operation, a key, a newline, and JSON that this program
 * does not read; its fds travel with it. When the last copy of the other end is closed, both are dead (a process that has lost
 * its fds can no longer write anywhere): this program starts a holder and sends it the messages that a keeper would send.
 *
 *   p KEY JSON  put, with fds, in place of an earlier one        b  begin: entries that are not put again until `e` are dropped
 *   u KEY JSON  update the JSON and keep the fds                 e  end
 *   d KEY       drop                                             x  exit: the daemon stops
 *   h PATH      the holder to start, with an fd of its Node: both outlive the installation (decision 161)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET_BYTES_MAX (256 * 1024)
#define FDS_MAX 64
#define KEY_BYTES_MAX 64
/* The number of attempts to start a holder; after that the lock is released, since it must not be held forever. */
#define TRIES_MAX 20
#define TRY_AGAIN_US 100000
#define SEND_SECONDS_MAX 10
/* The daemon itself, which a new holder must be sent first. */
#define DAEMON_KEY "daemon"
static const char HANDED[] = "{\"type\":\"handed\"}";

typedef struct Entry {
  struct Entry *next;
  char key[KEY_BYTES_MAX];
  char *json;
  uint32_t length;
  int fds[FDS_MAX];
  int fd_count;
  int generation;
} Entry;

static Entry *entries = NULL;
static int generation = 0;
static char *holder_path = NULL;
static int node_fd = -1;
static char packet[PACKET_BYTES_MAX];

static void close_all(const int *fds, int count) {
  for (int at = 0; at < count; at++) close(fds[at]);
}

static Entry *find(const char *key) {
  for (Entry *entry = entries; entry; entry = entry->next)
    if (strcmp(entry->key, key) == 0) return entry;
  return NULL;
}

static void drop(Entry *dropped) {
  for (Entry **at = &entries; *at; at = &(*at)->next) {
    if (*at != dropped) continue;
    *at = dropped->next;
    close_all(dropped->fds, dropped->fd_count);
    free(dropped->json);
    free(dropped);
    return;
  }
}

static void drop_older(void) {
  for (Entry *entry = entries, *next; entry; entry = next) {
    next = entry->next;
    if (entry->generation != generation) drop(entry);
  }
}

/* Adds an entry, and takes over the fds. An entry for which there is no memory is dropped: only that session is not covered. */
static void put(const char *key, const char *json, uint32_t length, const int *fds, int fd_count, int keeps_fds) {
  Entry *entry = find(key);
  if (!entry && keeps_fds) return;
  if (!entry) {
    entry = calloc(1, sizeof *entry);
    if (!entry) return close_all(fds, fd_count);
    snprintf(entry->key, sizeof entry->key, "%s", key);
    entry->next = entries;
    entries = entry;
  }
  if (!keeps_fds) {
    close_all(entry->fds, entry->fd_count);
    memcpy(entry->fds, fds, (size_t)fd_count * sizeof *fds);
    entry->fd_count = fd_count;
  }
  char *copy = malloc(length ? length : 1);
  if (!copy) return drop(entry);
  memcpy(copy, json, length);
  free(entry->json);
  entry->json = copy;
  entry->length = length;
  entry->generation = generation;
}

/* Sends one message in the format of `fd-link.ts`: u32 length, u8 number of fds, JSON. */
static int send_message(int link, const char *json, uint32_t length, const int *fds, int fd_count) {
  unsigned char head[5] = {length >> 24, length >> 16, length >> 8, length, (unsigned char)fd_count};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)json, length}};
  char control[CMSG_SPACE(sizeof(int) * FDS_MAX)];
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  if (fd_count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)fd_count);
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)fd_count);
    memcpy(CMSG_DATA(first), fds, sizeof(int) * (size_t)fd_count);
  }
  size_t left = sizeof head + length;
  while (left > 0) {
    ssize_t sent = sendmsg(link, &message, MSG_NOSIGNAL);
    if (sent == -1 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    left -= (size_t)sent;
    message.msg_control = NULL; /* the fds were sent with the first byte */
    message.msg_controllen = 0;
    for (int part = 0; part < 2; part++) {
      size_t taken = (size_t)sent < parts[part].iov_len ? (size_t)sent : parts[part].iov_len;
      parts[part].iov_base = (char *)parts[part].iov_base + taken;
      parts[part].iov_len -= taken;
      sent -= (ssize_t)taken;
    }
  }
  return 1;
}

static int send_everything(int link) {
  Entry *daemon = find(DAEMON_KEY);
  if (!daemon || !send_message(link, daemon->json, daemon->length, daemon->fds, daemon->fd_count)) return 0;
  for (Entry *entry = entries; entry; entry = entry->next)
    if (entry != daemon && !send_message(link, entry->json, entry->length, entry->fds, entry->fd_count)) return 0;
  return send_message(link, HANDED, sizeof HANDED - 1, NULL, 0);
}

/* Executes the holder with its fds, like a shell's `3<&LINK 4<&STORE`. Every other fd of this process is close-on-exec. */
static void become_holder(int link, int store, char **argv) {
  int high_link = fcntl(link, F_DUPFD_CLOEXEC, 10);
  int high_store = fcntl(store, F_DUPFD_CLOEXEC, 10);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  setsid();
  if (high_link == -1 || high_store == -1 || dup2(high_link, 3) == -1 || dup2(high_store, 4) == -1) _exit(126);
  char *command[] = {argv[2], holder_path ? holder_path : argv[3], "--link-fd", "3", "--store-fd", "4", NULL};
  if (node_fd != -1) fexecve(node_fd, command, environ);
  execv(argv[2], command);
  _exit(127);
}

static void set_blocking(int fd, int is_blocking) {
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* Starts a holder; returns the new end of the link to it, or -1. */
static int start_holder(char **argv) {
  int hand[2], store[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hand) == -1) return -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, store) == -1) {
    close_all(hand, 2);
    return -1;
  }
  set_blocking(hand[1], 0);
  set_blocking(store[1], 0);
  pid_t child = fork();
  if (child == 0) become_holder(hand[1], store[1], argv);
  close(hand[1]);
  close(store[1]);
  struct timeval within = {.tv_sec = SEND_SECONDS_MAX};
  setsockopt(hand[0], SOL_SOCKET, SO_SNDTIMEO, &within, sizeof within);
  int is_sent = child > 0 && send_everything(hand[0]);
  close(hand[0]); /* the messages wait in the socket; the end of the socket shows the holder that the keeper is gone */
  if (is_sent) return store[0];
  if (child > 0) kill(child, SIGKILL);
  close(store[0]);
  return -1;
}

/* Returns the bytes of a packet, 0 at the end of the link, -1 for one that must be skipped. */
static ssize_t receive(int link, int *fds, int *fd_count) {
  char control[CMSG_SPACE(sizeof(int) * FDS_MAX)];
  struct iovec part = {packet, sizeof packet - 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t read;
  do read = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
  while (read == -1 && errno == EINTR);
  *fd_count = 0;
  if (read <= 0) return 0;
  for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    *fd_count = (int)((each->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(fds, CMSG_DATA(each), (size_t)*fd_count * sizeof(int));
  }
  packet[read] = '\0';
  if (!(message.msg_flags & (MSG_CTRUNC | MSG_TRUNC))) return read;
  /* There was no room for all fds of the entry: an incomplete entry is worse than none. */
  close_all(fds, *fd_count);
  *fd_count = 0;
  char *end = memchr(packet, '\n', (size_t)read);
  if (end && read > 1) {
    *end = '\0';
    Entry *entry = find(packet + 1);
    if (entry) drop(entry);
  }
  return -1;
}

/* Sets the program to start, and takes over the fd. */
static void set_program(const char *path, const int *fds, int fd_count) {
  char *copy = strdup(path);
  if (!copy || fd_count != 1) {
    free(copy);
    return close_all(fds, fd_count);
  }
  free(holder_path);
  holder_path = copy;
  if (node_fd != -1) close(node_fd);
  node_fd = fds[0];
}

static void handle(ssize_t length, const int *fds, int fd_count) {
  char *key = packet + 1;
  char *end = memchr(key, '\n', (size_t)length - 1);
  char *json = end ? end + 1 : packet + length;
  if (end) *end = '\0';
  uint32_t rest = (uint32_t)(packet + length - json);
  Entry *entry;
  switch (packet[0]) {
    case 'p':
      return put(key, json, rest, fds, fd_count, 0);
    case 'h':
      return set_program(key, fds, fd_count);
    case 'u':
      put(key, json, rest, NULL, 0, 1);
      break;
    case 'd':
      entry = find(key);
      if (entry) drop(entry);
      break;
    case 'b':
      generation++;
      break;
    case 'e':
      drop_older();
      break;
    case 'x':
      exit(0);
  }
  close_all(fds, fd_count);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int link = atoi(argv[1]);
  fcntl(link, F_SETFD, FD_CLOEXEC);
  set_blocking(link, 1);
  prctl(PR_SET_NAME, "spool-fd-store");
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_IGN); /* holders that were started here are not waited for */
  for (int tries = 0;;) {
    int fds[FDS_MAX], fd_count;
    ssize_t length = receive(link, fds, &fd_count);
    if (length > 0) {
      tries = 0;
      handle(length, fds, fd_count);
      continue;
    }
    if (length < 0) continue;
    close(link);
    if (!find(DAEMON_KEY)) return 0; /* they died before they had sent any entry */
    do {
      if (tries >= TRIES_MAX) return 1;
      if (tries > 0) usleep(TRY_AGAIN_US);
      tries++;
      link = start_holder(argv);
    } while (link == -1);
  }
}
