/*
 * The hook of an agent in a terminal: `spool-hook FOLDER [hold]`, with the agent's message on stdin. It appends the message as one
 * line to FOLDER/lines without any process of the daemon: an agent's messages are recorded even while the daemon is down.
 *
 * With `hold` the message is a request. The hook waits for the file FOLDER/answers/ID, prints it for the agent, and records that it
 * was taken. Meanwhile the agent's own dialog works. An empty answer means that the request was answered elsewhere. A request of a
 * subagent (`agent_id`) is not held: the agent would show its dialog only after the hook has ended.
 *
 * Every fault ends with 0 and without output: a hook must never disturb its agent. Only a call without a folder ends with 2. Agents
 * make no such call; the daemon recognizes its programs by it before it uses them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum {
  WRONG_USE = 2,
  MESSAGE_BYTES_MAX = 16 * 1024 * 1024,
  ANSWER_BYTES_MAX = 4 * 1024 * 1024,
  /* The limit of FOLDER/lines: beyond it nothing more is recorded, and no request is held. */
  LINES_BYTES_MAX = 1024 * 1024 * 1024,
};

static char id[17];
static char lines_path[PATH_MAX];

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Appends one line in one write. It also begins with a newline, so that a line that a full disk has cut does not damage this one. */
static int append(const char *head, const char *body, size_t body_size, const char *tail) {
  size_t head_size = strlen(head), tail_size = strlen(tail), size = 1 + head_size + body_size + tail_size + 1;
  char *line = malloc(size);
  int fd = open(lines_path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* nor does a pipe keep it here */
  struct stat found;
  int is_written = 0;
  if (line && fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size < LINES_BYTES_MAX) {
    char *at = line;
    *at++ = '\n';
    at = mempcpy(at, head, head_size);
    at = mempcpy(at, body, body_size);
    at = mempcpy(at, tail, tail_size);
    *at = '\n';
    is_written = write(fd, line, size) == (ssize_t)size;
  }
  if (fd >= 0) close(fd);
  free(line);
  return is_written;
}

static void record(const char *what) {
  char head[128];
  snprintf(head, sizeof head, "{\"%s\":\"%s\",\"at\":%lld}", what, id, now_ms());
  append(head, "", 0, "");
}

/* Returns the message; newlines between its parts become blanks. Returns NULL if it is too long. */
static char *read_message(size_t *size) {
  size_t room = 64 * 1024;
  char *text = malloc(room + 1);
  *size = 0;
  while (text) {
    ssize_t got = read(0, text + *size, room - *size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    *size += (size_t)got;
    if (*size < room) continue;
    if (room >= MESSAGE_BYTES_MAX) return NULL;
    room *= 2;
    text = realloc(text, room + 1);
  }
  for (size_t i = 0; text && i < *size; i++)
    if (text[i] == '\n' || text[i] == '\r') text[i] = ' ';
  return text;
}

/* Returns whether the outermost object has this key. */
static int has_key(const char *text, size_t size, const char *key) {
  size_t length = strlen(key), start = 0;
  int depth = 0, is_string = 0;
  for (size_t i = 0; i < size; i++) {
    if (is_string) {
      if (text[i] == '\\') i++;
      else if (text[i] == '"') {
        is_string = 0;
        size_t after = i + 1;
        while (after < size && text[after] == ' ') after++;
        if (depth == 1 && after < size && text[after] == ':' && i - start == length && !memcmp(text + start, key, length))
          return 1;
      }
    } else if (text[i] == '"') {
      is_string = 1;
      start = i + 1;
    } else if (text[i] == '{' || text[i] == '[') depth++;
    else if (text[i] == '}' || text[i] == ']') depth--;
  }
  return 0;
}

/* Prints the answer, if it exists. Returns whether the wait is over. */
static int take_answer(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat found;
  if (fd < 0) return 0;
  if (fstat(fd, &found) < 0 || !S_ISREG(found.st_mode)) { /* a pipe would keep the hook, which ignores SIGTERM meanwhile */
    close(fd);
    return 1;
  }
  char *text = malloc(ANSWER_BYTES_MAX);
  size_t size = 0, done = 0;
  for (ssize_t got; text && size < ANSWER_BYTES_MAX && (got = read(fd, text + size, ANSWER_BYTES_MAX - size)) > 0;)
    size += (size_t)got;
  close(fd);
  for (ssize_t put; done < size && (put = write(1, text + done, size - done)) > 0;) done += (size_t)put;
  if (size > 0 && done == size) record("took");
  return 1;
}

static void hold(const char *folder, pid_t parent) {
  char answers[PATH_MAX], answer[PATH_MAX + 32];
  sigset_t taken;
  sigemptyset(&taken);
  for (size_t i = 0; i < 3; i++) sigaddset(&taken, (int[]){SIGTERM, SIGINT, SIGHUP}[i]);
  sigprocmask(SIG_BLOCK, &taken, NULL);
  snprintf(answers, sizeof answers, "%s/answers", folder);
  snprintf(answer, sizeof answer, "%s/%s", answers, id);
  struct pollfd fds[3] = {
      {.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN},
      {.fd = signalfd(-1, &taken, SFD_CLOEXEC), .events = POLLIN},
      {.fd = (int)syscall(SYS_pidfd_open, parent, 0), .events = POLLIN},
  };
  if (fds[0].fd < 0 || fds[1].fd < 0 || fds[2].fd < 0 || getppid() != parent) return;
  if (inotify_add_watch(fds[0].fd, answers, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF) < 0) return;
  for (;;) {
    if (take_answer(answer)) return;
    if (poll(fds, 3, -1) < 0 && errno != EINTR) return;
    if (fds[1].revents) return record("cancelled"); /* answered in the terminal, by a denial */
    if (fds[2].revents) return;                     /* the agent is gone */
    char events[4096];
    if (fds[0].revents && read(fds[0].fd, events, sizeof events) < 0 && errno != EAGAIN) return;
    if (access(answers, F_OK) < 0) return;
  }
}

int main(int argc, char **argv) {
  unsigned char bytes[8];
  char head[160];
  size_t size;
  pid_t parent = getppid();
  signal(SIGPIPE, SIG_IGN);
  if (argc < 2) return WRONG_USE;
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 0;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(id + 2 * i, 3, "%02x", bytes[i]);
  snprintf(lines_path, sizeof lines_path, "%s/lines", argv[1]);
  char *message = read_message(&size);
  if (!message || size == 0) return 0;
  int is_held = argc > 2 && !strcmp(argv[2], "hold") && !has_key(message, size, "agent_id");
  snprintf(head, sizeof head, "{\"hook\":\"%s\",\"at\":%lld,\"parent\":%d,\"isHeld\":%s,\"input\":", id, now_ms(), parent,
           is_held ? "true" : "false");
  if (append(head, message, size, "}") && is_held) hold(argv[1], parent);
  return 0;
}
