/* size-reporter: prints "ready" and, whenever the size of its terminal changes, "ROWS COLS". SIGWINCH is blocked and waited for,
 * so that none is lost: a shell's trap misses a signal during its own run. */
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(void) {
  sigset_t resized;
  sigemptyset(&resized);
  sigaddset(&resized, SIGWINCH);
  sigprocmask(SIG_BLOCK, &resized, NULL);
  struct winsize last, now;
  if (ioctl(1, TIOCGWINSZ, &last) != 0) return 1;
  puts("ready");
  for (;;) {
    fflush(stdout);
    int signal;
    if (sigwait(&resized, &signal) != 0) return 1;
    if (ioctl(1, TIOCGWINSZ, &now) != 0) return 1;
    if (now.ws_row == last.ws_row && now.ws_col == last.ws_col) puts("woken for nothing");
    else printf("%d %d\n", now.ws_row, now.ws_col);
    last = now;
  }
}
