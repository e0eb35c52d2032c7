/* hold-exit PID: keeps a killed process in the kernel, like one that waits for a disk that is gone. It prints "held" when the
 * process is killed and stays, and releases it when hold-exit's own input ends. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
  if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXIT) != 0) {
    perror("ptrace");
    return 1;
  }
  puts("ready");
  fflush(stdout);
  int status;
  while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) break;
    ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
  }
  puts("held");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  ptrace(PTRACE_CONT, pid, NULL, 0);
  return 0;
}
