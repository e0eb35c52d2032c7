/*
 * drain FILE MS [ignore]: prints "ready"; on SIGTERM it needs MS milliseconds, writes "saved" into FILE and exits with 0. Like
 * many servers, it restores the default (or with `ignore` ignores the signal) for the second SIGTERM. It does not handle SIGHUP.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static void (*second)(int) = SIG_DFL;

static void on_term(int signal) {
  asked = 1;
  struct sigaction again = {.sa_handler = second};
  sigaction(signal, &again, NULL);
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  if (count > 3) second = SIG_IGN;
  struct sigaction action = {.sa_handler = on_term};
  sigaction(SIGTERM, &action, NULL);
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  write(1, "ready\n", 6);
  while (!asked) sigsuspend(&before);
  sigprocmask(SIG_SETMASK, &before, NULL);
  long ms = atol(arguments[2]);
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) == -1) continue;
  int file = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
  write(file, "saved\n", 6);
  return 0;
}
