/* The limit: the speed of a C program that does nothing else with the same PTY.
 *   limit drain COMMAND…     seconds from the start of COMMAND until its last byte was read
 *   limit echo ROUNDS        microseconds, p50 and p99, for one byte and its echo through a raw `echo` child (this program)
 *   limit until SECONDS MARK COMMAND…   seconds until COMMAND, on a terminal, has shown MARK (as a user would see it)
 *   limit type ROUNDS PAUSE COMMAND…    microseconds for a key typed into COMMAND, on a terminal, to be shown by it; PAUSE µs between keys
 *   limit mirror             the child of `echo`: raw terminal, writes each byte that it reads */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int mirror(void) {
  struct termios mode;
  tcgetattr(0, &mode);
  cfmakeraw(&mode);
  tcsetattr(0, TCSANOW, &mode);
  if (write(1, "!", 1) != 1) return 1; /* ready */
  char bytes[4096];
  for (ssize_t got; (got = read(0, bytes, sizeof bytes)) > 0;)
    if (write(1, bytes, got) != got) return 1;
  return 0;
}

/* Reads until `mark` has been shown; returns the bytes read, or -1 at the end. */
static long long read_until(int master, const char *mark) {
  static char window[131072];
  size_t kept = 0, length = strlen(mark);
  long long total = 0;
  for (;;) {
    ssize_t got = read(master, window + kept, sizeof window - kept - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    total += got;
    kept += got;
    if (memmem(window, kept, mark, length)) return total;
    if (kept > length) {
      memmove(window, window + kept - length, length);
      kept = length;
    }
  }
}

static pid_t start(int *master, char **command) {
  struct winsize size = {24, 80, 0, 0};
  pid_t pid = forkpty(master, NULL, NULL, &size);
  if (pid == 0) {
    execvp(command[0], command);
    _exit(127);
  }
  return pid;
}

static int until_shown(int argc, char **argv) {
  int master;
  if (argc < 5) return 2;
  alarm(atoi(argv[2]));
  double began = now();
  pid_t pid = start(&master, argv + 4);
  long long bytes = read_until(master, argv[3]);
  printf("{\"seconds\":%.6f,\"bytes\":%lld}\n", now() - began, bytes);
  close(master);
  waitpid(pid, NULL, 0);
  return bytes < 0;
}

static int type(int argc, char **argv) {
  if (argc < 5) return 2;
  int master, rounds = atoi(argv[2]), pause = atoi(argv[3]);
  alarm(60);
  pid_t pid = start(&master, argv + 4);
  usleep(700000); /* its first picture has been painted then */
  static char bytes[65536];
  fd_set set;
  struct timeval none;
  for (;;) {
    FD_ZERO(&set);
    FD_SET(master, &set);
    none = (struct timeval){0, 200000};
    if (select(master + 1, &set, NULL, NULL, &none) <= 0) break;
    if (read(master, bytes, sizeof bytes) <= 0) return 1;
  }
  double *times = malloc(sizeof(double) * rounds);
  for (int k = 0; k < rounds; k++) {
    char key = 'a' + k % 26;
    double sent = now();
    if (write(master, &key, 1) != 1) return 1;
    for (ssize_t got; (got = read(master, bytes, sizeof bytes)) > 0;)
      if (memchr(bytes, key, got)) break;
    times[k] = (now() - sent) * 1e6;
    usleep(pause);
  }
  qsort(times, rounds, sizeof(double), order);
  printf("{\"p50\":%.1f,\"p99\":%.1f}\n", times[rounds / 2], times[rounds * 99 / 100]);
  fflush(stdout);
  kill(pid, SIGKILL);
  close(master);
  waitpid(pid, NULL, 0);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "until") == 0) return until_shown(argc, argv);
  if (argc > 1 && strcmp(argv[1], "type") == 0) return type(argc, argv);
  if (argc > 1 && strcmp(argv[1], "mirror") == 0) return mirror();
  if (argc < 3) return 2;
  struct winsize size = {24, 80, 0, 0};
  int master;
  double start = now();
  pid_t pid = forkpty(&master, NULL, NULL, &size);
  if (pid == 0) {
    if (strcmp(argv[1], "drain") == 0) execvp(argv[2], argv + 2);
    else execl("/proc/self/exe", "limit", "mirror", NULL);
    _exit(127);
  }
  static char bytes[65536];
  if (strcmp(argv[1], "drain") == 0) {
    long long total = 0;
    for (ssize_t got; (got = read(master, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR);) total += got;
    waitpid(pid, NULL, 0);
    printf("{\"seconds\":%.6f,\"bytes\":%lld}\n", now() - start, total);
    return 0;
  }
  int rounds = atoi(argv[2]);
  double *times = malloc(sizeof(double) * rounds);
  if (read(master, bytes, 1) != 1) return 1;
  for (int k = 0; k < rounds; k++) {
    double sent = now();
    if (write(master, "x", 1) != 1 || read(master, bytes, sizeof bytes) != 1) return 1;
    times[k] = (now() - sent) * 1e6;
  }
  qsort(times, rounds, sizeof(double), order);
  printf("{\"p50\":%.1f,\"p99\":%.1f}\n", times[rounds / 2], times[rounds * 99 / 100]);
  close(master);
  waitpid(pid, NULL, 0);
  return 0;
}
