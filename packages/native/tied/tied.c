/*
 * Runs a program that dies with the process that started it: `spool-tied PARENT COMMAND…`. The kernel kills it when its parent is
 * gone, even if SIGKILL ended the parent, which could then do nothing itself. Node cannot request that: the request must be made
 * between fork and exec.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WRONG_USE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

int main(int argc, char **argv) {
  if (argc < 3) return WRONG_USE;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1) perror("spool-tied: prctl"); /* then it ends like any other child */
  if (getppid() != atoi(argv[1])) return 0; /* the parent died before the request */
  execvp(argv[2], argv + 2);
  int error = errno;
  fprintf(stderr, "%s: %s\n", argv[2], strerror(error));
  return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}
