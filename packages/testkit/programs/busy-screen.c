/* busy-screen FRAMES_PER_SECOND COLS ROWS [SECONDS]: a full-screen program that paints without a pause. It repaints every row of
 * the alternate screen, like a dashboard or a working agent, with very little processor time.
 * busy-screen lines PER_SECOND [SECONDS]: writes plain lines instead.
 * SIGUSR1 shows a dialog at once, SIGUSR2 removes it. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asks;

static void on_signal(int number) { asks = number == SIGUSR1; }

static int put(const char *bytes, int length) {
  for (int done = 0; done < length;) {
    ssize_t wrote = write(1, bytes + done, length - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return -1;
    done += wrote;
  }
  return 0;
}

static int paint(char *frame, long number, int cols, int rows) {
  static const char words[] = "reading src/terminal/model.ts and comparing it with the recorded frames of the last run ";
  int at = sprintf(frame, "\x1b[?2026h\x1b[H");
  for (int row = 0; row < rows; row++) {
    if (row > 0) at += sprintf(frame + at, "\r\n");
    if (row == 0) at += sprintf(frame + at, "\x1b[1mClaude Code v2.0\x1b[22m frame %-8ld", number);
    else if (asks && row == rows - 4) at += sprintf(frame + at, "Do you want to proceed?");
    else if (asks && row == rows - 3) at += sprintf(frame + at, "\x1b[34m❯ 1. Yes\x1b[39m");
    else if (asks && row == rows - 2) at += sprintf(frame + at, "  2. No, and tell Claude what to do differently");
    else if (asks && row == rows - 1) at += sprintf(frame + at, "Esc to cancel · Tab to amend");
    else if (row == rows - 2) at += sprintf(frame + at, "✻ Working… (%lds · esc to interrupt)", number / 10);
    else {
      int shift = (number + row * 7) % (int)(sizeof words - 1);
      at += sprintf(frame + at, "\x1b[%dm%4ld\x1b[39m ", 31 + row % 6, number + row);
      int width = cols - 8;
      for (int cell = 0; cell < width; cell++) frame[at++] = words[(shift + cell) % (sizeof words - 1)];
    }
    at += sprintf(frame + at, "\x1b[K");
  }
  return put(frame, at + sprintf(frame + at, "\x1b[?2026l"));
}

int main(int argc, char **argv) {
  int isLines = argc > 1 && strcmp(argv[1], "lines") == 0;
  if (argc < (isLines ? 3 : 4)) return 2;
  double per_second = atof(argv[isLines ? 2 : 1]);
  int cols = isLines ? 80 : atoi(argv[2]), rows = isLines ? 24 : atoi(argv[3]);
  double seconds = argc > (isLines ? 3 : 4) ? atof(argv[isLines ? 3 : 4]) : 1e9;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  struct termios mode;
  if (tcgetattr(0, &mode) == 0) {
    cfmakeraw(&mode);
    tcsetattr(0, TCSANOW, &mode);
  }
  char *frame = malloc(16 * cols * rows + 4096);
  if (!isLines && put("\x1b[?1049h\x1b[?25l", 14) < 0) return 3;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  next.tv_nsec = (getpid() * 7919L % 1000) * 1000000; /* programs that began together do not paint together */
  for (long number = 0; number < seconds * per_second; number++) {
    int wrote = isLines ? put(frame, sprintf(frame, "%08ld compiled packages/core/src/module-%ld.ts in %ld ms\r\n", number,
                                             number % 97, number % 31))
                        : paint(frame, number, cols, rows);
    if (wrote < 0) return 3;
    next.tv_nsec += (long)(1e9 / per_second);
    while (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL); /* a signal paints at once */
  }
  return 0;
}
