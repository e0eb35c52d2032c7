/*
 * Runs a terminal program with a server beside it:
 * `spool-beside SOCKET OUTCOME READY_MS FILE SERVER_WORDS EXTRA_WORDS SERVER… EXTRA… COMMAND…`
 *
 * A guard process starts FILE with the arguments SERVER…. Once the server accepts connections at SOCKET, this process itself
 * becomes FILE with the arguments COMMAND…, and EXTRA… after the first of them: the terminal program is the session's child, with
 * its own exit code, signals and terminal. If no server accepts connections after READY_MS, it becomes COMMAND… alone, and OUTCOME
 * has the reason.
 *
 * The guard has no terminal. It drains the server's output, and ends the server when the terminal program is gone: SIGTERM, then
 * SIGKILL, and the same for the commands that the server was running. If the guard is killed, the kernel kills the server.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum {
  WRONG_USE = 2,
  NOT_EXECUTABLE = 126,
  NOT_FOUND = 127,
  TRY_EVERY_MS = 20,
  /* Codex finishes its running turn at the first SIGTERM, and ends at the second. */
  SECOND_TERM_MS = 700,
  KILL_MS = 2500,
  SAID_BYTES_MAX = 300,
  CHILDREN_MAX = 256,
};

static const char READY = 'R';

typedef struct {
  const char *socket;
  const char *file;
  char **server;
  int leader;     /* a pidfd of the process that becomes the terminal program */
  int to_leader;  /* gets the guard's report: READY, or a reason; -1 once it is sent */
  int output;     /* the server's output */
  int signals;
  pid_t pid;      /* the server's */
  char said[SAID_BYTES_MAX + 1]; /* the last part of its output */
  size_t said_size;
} Guard;

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int accepts(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return 0;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int is_open = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
  if (fd >= 0) close(fd);
  return is_open;
}

/* Executed by the server's process. */
static void become_server(const Guard *guard, pid_t parent, int output) {
  sigset_t none;
  sigemptyset(&none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0); /* the guard died before the prctl */
  setpgid(0, 0);
  dup2(output, 1);
  dup2(output, 2);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(guard->file, guard->server); /* the shell runs a script without an interpreter line */
  fprintf(stderr, "%s: %s\n", guard->file, strerror(errno));
  _exit(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/* Keeps the last part of the server's output. Returns 0 at the end of the output. */
static int drain(Guard *guard) {
  char bytes[4096];
  ssize_t size = read(guard->output, bytes, sizeof bytes);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return 0;
  size_t taken = (size_t)size > SAID_BYTES_MAX ? SAID_BYTES_MAX : (size_t)size;
  size_t kept = guard->said_size + taken > SAID_BYTES_MAX ? SAID_BYTES_MAX - taken : guard->said_size;
  memmove(guard->said, guard->said + guard->said_size - kept, kept);
  memcpy(guard->said + kept, bytes + size - taken, taken);
  guard->said_size = kept + taken;
  return 1;
}

static void report(Guard *guard, const char *text, size_t size) {
  if (guard->to_leader < 0) return;
  if (write(guard->to_leader, text, size) < 0) { /* the leader is gone, which the pidfd reports too */ }
  close(guard->to_leader);
  guard->to_leader = -1;
}

static void report_failure(Guard *guard, int status) {
  char text[SAID_BYTES_MAX + 100];
  guard->said[guard->said_size] = '\0';
  int size = WIFEXITED(status) ? snprintf(text, sizeof text, "it ended with %d: %s", WEXITSTATUS(status), guard->said)
                               : snprintf(text, sizeof text, "signal %d ended it: %s", WTERMSIG(status), guard->said);
  report(guard, text, size < (int)sizeof text ? (size_t)size : sizeof text - 1);
}

/* Returns the server's own children. After its death they are children of the guard, which keeps their pids from being reused. */
static size_t children_of(pid_t parent, pid_t *found) {
  size_t count = 0;
  DIR *folder = opendir("/proc");
  if (!folder) return 0;
  for (struct dirent *entry; count < CHILDREN_MAX && (entry = readdir(folder));) {
    pid_t pid = atoi(entry->d_name);
    char path[64], stat[512];
    if (pid <= 0) continue;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t size = read(fd, stat, sizeof stat - 1);
    close(fd);
    if (size <= 0) continue;
    stat[size] = '\0';
    char *rest = strrchr(stat, ')'); /* the name may contain anything */
    int owner;
    if (rest && sscanf(rest + 1, " %*c %d", &owner) == 1 && owner == parent) found[count++] = pid;
  }
  closedir(folder);
  return count;
}

static void kill_server(Guard *guard) {
  pid_t commands[CHILDREN_MAX];
  kill(guard->pid, SIGSTOP); /* stopped, so that it starts no more processes */
  size_t count = children_of(guard->pid, commands);
  kill(guard->pid, SIGKILL);
  waitpid(guard->pid, NULL, 0);
  guard->pid = -1;
  pid_t adopted[CHILDREN_MAX];
  size_t own = children_of(getpid(), adopted);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < own; j++)
      if (adopted[j] == commands[i]) {
        if (getpgid(commands[i]) == commands[i]) kill(-commands[i], SIGKILL);
        kill(commands[i], SIGKILL);
      }
}

/* Ends the server. `is_signalled`: the session is being stopped, and the server got that SIGTERM too. */
static void end_server(Guard *guard, int is_signalled) {
  long asked = now_ms();
  int is_asked_again = 0;
  if (guard->pid > 0 && !is_signalled) kill(guard->pid, SIGTERM);
  while (guard->pid > 0) {
    long spent = now_ms() - asked;
    if (waitpid(guard->pid, NULL, WNOHANG) == guard->pid) guard->pid = -1;
    else if (spent >= KILL_MS) kill_server(guard);
    else {
      if (spent >= SECOND_TERM_MS && !is_asked_again) {
        is_asked_again = 1;
        kill(guard->pid, SIGTERM);
      }
      struct pollfd printed = {.fd = guard->output, .events = POLLIN};
      if (poll(&printed, 1, TRY_EVERY_MS) > 0 && !drain(guard)) usleep(TRY_EVERY_MS * 1000);
    }
  }
}

static void guard_server(Guard *guard) {
  struct pollfd fds[3] = {
      {.fd = guard->leader, .events = POLLIN},
      {.fd = guard->signals, .events = POLLIN},
      {.fd = guard->output, .events = POLLIN},
  };
  for (;;) {
    poll(fds, 3, guard->to_leader < 0 ? -1 : TRY_EVERY_MS);
    if (fds[2].revents && !drain(guard)) fds[2].fd = -1;
    struct signalfd_siginfo signal = {0};
    if (fds[1].revents && read(guard->signals, &signal, sizeof signal) < 0) signal.ssi_signo = 0;
    int is_signalled = signal.ssi_signo != 0 && signal.ssi_signo != SIGCHLD;
    if (fds[0].revents || is_signalled) return end_server(guard, is_signalled);
    int status;
    for (pid_t gone; (gone = waitpid(-1, &status, WNOHANG)) > 0;) /* including orphans of the server */
      if (gone == guard->pid) {
        while (fds[2].fd >= 0 && drain(guard) && poll(&fds[2], 1, 0) > 0) {}
        guard->pid = -1;
        return report_failure(guard, status);
      }
    if (guard->to_leader >= 0 && accepts(guard->socket)) report(guard, &READY, 1);
  }
}

/* Executed by the guard's process. */
static void become_guard(Guard *guard, pid_t leader) {
  int pipe_ends[2], nothing = open("/dev/null", O_RDWR);
  sigset_t taken;
  prctl(PR_SET_NAME, "spool-beside");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  guard->leader = (int)syscall(SYS_pidfd_open, leader, 0);
  if (nothing < 0 || guard->leader < 0 || getppid() != leader || pipe2(pipe_ends, O_CLOEXEC) < 0) {
    report(guard, "it could not be watched", 23);
    _exit(1);
  }
  for (int fd = 0; fd <= 2; fd++) dup2(nothing, fd);
  close(nothing);
  fcntl(guard->leader, F_SETFD, FD_CLOEXEC);
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  guard->output = pipe_ends[0];
  sigemptyset(&taken);
  for (size_t i = 0; i < 4; i++) sigaddset(&taken, (int[]){SIGTERM, SIGINT, SIGHUP, SIGCHLD}[i]);
  sigprocmask(SIG_BLOCK, &taken, NULL);
  guard->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  pid_t own = getpid();
  guard->pid = fork();
  if (guard->pid == 0) become_server(guard, own, pipe_ends[1]);
  close(pipe_ends[1]);
  if (guard->pid < 0) report(guard, "it could not be started", 23);
  else guard_server(guard);
  _exit(0);
}

static void write_outcome(const char *path, const char *text, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return; /* the terminal program runs, which is more important */
  if (write(fd, text, size) < 0) { /* as above */ }
  close(fd);
}

/* Starts the guard. Returns whether the server is ready; OUTCOME has READY or the reason. */
static int start_beside(Guard *guard, const char *outcome, long ready_ms) {
  char text[1024] = "the guard could not be started";
  size_t size = strlen(text);
  int ends[2];
  pid_t leader = getpid();
  if (pipe2(ends, O_CLOEXEC) < 0) return write_outcome(outcome, text, size), 0;
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    guard->to_leader = ends[1];
    become_guard(guard, leader);
  }
  close(ends[1]);
  long until = now_ms() + ready_ms;
  struct pollfd answer = {.fd = ends[0], .events = POLLIN};
  ssize_t got = 0;
  if (pid > 0) {
    size = (size_t)snprintf(text, sizeof text, "it did not accept connections within %ld ms", ready_ms);
    int count = 0;
    do count = poll(&answer, 1, (int)(until > now_ms() ? until - now_ms() : 0));
    while (count < 0 && errno == EINTR);
    if (count > 0 && (got = read(ends[0], text, sizeof text)) > 0) size = (size_t)got;
  }
  close(ends[0]);
  int is_ready = got == 1 && text[0] == READY;
  if (!is_ready && pid > 0) {
    kill(pid, SIGKILL); /* the kernel then kills the server */
    waitpid(pid, NULL, 0);
  }
  write_outcome(outcome, text, size);
  return is_ready;
}

int main(int argc, char **argv) {
  if (argc < 8) return WRONG_USE;
  int server_words = atoi(argv[5]), extra_words = atoi(argv[6]);
  if (server_words < 1 || extra_words < 0 || argc < 8 + server_words + extra_words) return WRONG_USE;
  char **server = argv + 7, **extra = server + server_words, **command = extra + extra_words;
  char **own = calloc((size_t)argc + 1, sizeof *own), **beside = calloc((size_t)server_words + 1, sizeof *beside);
  if (!own || !beside) return WRONG_USE;
  memcpy(beside, server, (size_t)server_words * sizeof *beside);
  Guard guard = {.socket = argv[1], .file = argv[4], .server = beside, .to_leader = -1};
  size_t size = 0;
  own[size++] = *command++;
  if (start_beside(&guard, argv[2], atol(argv[3])))
    for (int i = 0; i < extra_words; i++) own[size++] = extra[i];
  while (*command) own[size++] = *command++;
  execvp(argv[4], own);
  int error = errno;
  fprintf(stderr, "%s: %s\n", argv[4], strerror(error));
  return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}
