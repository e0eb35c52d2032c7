/* Shifts the wall clock of a process into which it is loaded (LD_PRELOAD). The file named by SPOOL_TEST_CLOCK holds a number of
 * seconds that is added to it, and may change at any moment; clocks that only measure durations are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const long long *shift;

__attribute__((constructor)) static void find_shift(void) {
  const char *path = getenv("SPOOL_TEST_CLOCK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd == -1) return;
  void *mapped = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) shift = mapped;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  static int (*real)(struct timeval *, void *);
  if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(now, zone);
  if (result == 0 && shift) now->tv_sec += *shift;
  return result;
}
