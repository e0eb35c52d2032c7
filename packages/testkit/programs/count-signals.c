/* count-signals: two processes of one group count each SIGINT that they handle, and print the number on SIGTERM. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled, asked;

static void on_int(int signal) {
  (void)signal;
  handled++;
}
static void on_term(int signal) {
  (void)signal;
  asked = 1;
}

int main(void) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &all, NULL);
  struct sigaction interrupt = {.sa_handler = on_int}, terminate = {.sa_handler = on_term};
  sigaction(SIGINT, &interrupt, NULL);
  sigaction(SIGTERM, &terminate, NULL);
  pid_t other = fork();
  if (other > 0) write(1, "ready\n", 6);
  while (!asked) sigsuspend(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (other > 0) waitpid(other, NULL, 0);
  char line[64];
  int length = snprintf(line, sizeof line, "%s handled %d\n", other > 0 ? "child" : "grandchild", (int)handled);
  write(1, line, length);
  return 0;
}
