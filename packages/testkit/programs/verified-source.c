/* verified-source BYTES [PAUSE_US [BURST]]: writes a stream whose byte at every offset can be computed (lines of 16 bytes that
 * contain their own number), raw, so that any loss or doubling is detected at once. It exits with 7, to show that codes are
 * exact. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  long long bytes = atoll(argv[1]);
  long pause_us = argc > 2 ? atol(argv[2]) : 0;
  int burst = argc > 3 ? atoi(argv[3]) : 256;
  struct termios mode;
  if (tcgetattr(1, &mode) == 0) {
    cfmakeraw(&mode);
    tcsetattr(1, TCSANOW, &mode);
  }
  char *lines = malloc(16 * burst + 1);
  for (long long at = 0; at < bytes;) {
    int filled = 0;
    for (int k = 0; k < burst && at + filled < bytes; k++, filled += 16)
      snprintf(lines + filled, 17, "%015lld\n", (at + filled) / 16);
    if (at + filled > bytes) filled = bytes - at;
    for (int done = 0; done < filled;) {
      ssize_t wrote = write(1, lines + done, filled - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return 3;
      done += wrote;
    }
    at += filled;
    if (pause_us) usleep(pause_us);
  }
  return 7;
}
