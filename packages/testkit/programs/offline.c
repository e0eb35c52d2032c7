/* Runs a program that can reach only processes beside it: `offline COMMAND…` has its own network, which contains only the
 * loopback. It ends with 125 if the kernel does not allow that: then COMMAND is not run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REFUSED = 125, NOT_RUN = 127 };

static int put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  ssize_t size = strlen(text);
  int is_put = fd >= 0 && write(fd, text, size) == size;
  if (fd >= 0) close(fd);
  return is_put;
}

/* Creates a user namespace: without root, a network namespace is allowed only in one; the user id does not change. */
static int unshare_as_user(void) {
  char uids[64], gids[64];
  snprintf(uids, sizeof uids, "%d %d 1", getuid(), getuid());
  snprintf(gids, sizeof gids, "%d %d 1", getgid(), getgid());
  return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && put("/proc/self/setgroups", "deny") &&
         put("/proc/self/uid_map", uids) && put("/proc/self/gid_map", gids);
}

static int raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  if ((unshare(CLONE_NEWNET) != 0 && !unshare_as_user()) || !raise_loopback()) {
    perror("offline: no network of its own");
    return REFUSED;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return NOT_RUN;
}
