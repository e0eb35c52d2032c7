/*
 * Transfer: source → escrow pipe → log; the bytes are never in this process.
 *
 * At any moment each byte is in exactly one place that survives this process: in the source, in the pipe or in the log.
 */
#include "addon.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRANSFER_DRAINED 0
#define TRANSFER_BUDGET 1
#define TRANSFER_ENDED 2
#define TRANSFER_FEW 3

/* Offsets in a frame: see packages/protocol/src/frame.ts. */
#define HEADER_BYTES 20

/*
 * The size of one splice. A splice from a tty allocates pages for the requested length before it knows the number of available
 * bytes, and a tty returns at most 4095 bytes at a time. Measured (Linux 6.18, median µs until EAGAIN, for bursts of 16 / 4000 /
 * 16000 bytes): 1 KiB 4.9 / 15.4 / 81, 4 KiB 5.3 / 14.3 / 51, 16 KiB 5.2 / 12.0 / 52, 64 KiB 6.9 / 16.9 / 56; read() 3.6 / 10.2 /
 * 57. Smaller sizes cost calls, larger ones cost pages, and the echo of a key is affected most, so one page is used.
 */
#define PULL_BYTES 4096

/*
 * The size below which a first pull has probably emptied the source: for an echoed key, another call costs more (some 40 of 280 µs)
 * than a possible second wake-up, and for a line of a log as much as the first. A flood arrives in larger pieces, and is pulled
 * until it pauses.
 */
#define PULL_SHORT_BYTES 1024
#define PULLED_SHORT 2

typedef struct {
  int source, pipe, log;
  loff_t position;
  int32_t moved, moved_max;
  int32_t queued; /* bytes in the pipe */
  bool must_read; /* the source refuses splice */
  int misuse;     /* the errno of a caller's mistake, which is thrown because no retry would help */
} Transfer;

static int64_t splice_retried(int from, int to, loff_t *position, size_t length) {
  ssize_t count;
  RETRY(count, splice(from, NULL, to, position, length, SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
  return count == -1 ? -errno : count;
}

/* Moves the content of the pipe into the log, as far as the budget allows. Returns 0, or -errno of the log. */
static int flush(Transfer *transfer) {
  while (transfer->queued > 0 && transfer->moved < transfer->moved_max) {
    int32_t room = transfer->moved_max - transfer->moved;
    size_t length = (size_t)(transfer->queued < room ? transfer->queued : room);
    int64_t count = splice_retried(transfer->pipe, transfer->log, &transfer->position, length);
    if (count < 0) return (int)count;
    if (count == 0) return -EIO; /* impossible: the pipe holds `queued` bytes. An error is better than a loop. */
    transfer->moved += (int32_t)count;
    transfer->queued -= (int32_t)count;
  }
  return 0;
}

/*
 * Reads, then writes into the pipe, if splice is refused. It moves only PIPE_BUF bytes and only into an empty pipe, which accepts
 * that many in one piece: a full pipe can never leave bytes in our memory. (A kill between the two calls loses them; such kernels
 * offer no better way.)
 */
static int64_t read_into_pipe(Transfer *transfer, size_t length) {
  if (transfer->queued > 0) return -EAGAIN;
  char buffer[PIPE_BUF];
  ssize_t count, written;
  RETRY(count, read(transfer->source, buffer, length < sizeof buffer ? length : sizeof buffer));
  if (count <= 0) return count == -1 ? -errno : 0;
  RETRY(written, write(transfer->pipe, buffer, (size_t)count));
  return written == -1 ? -errno : written;
}

static int64_t pull(Transfer *transfer, size_t length) {
  if (!transfer->must_read) {
    int64_t count = splice_retried(transfer->source, transfer->pipe, NULL, length);
    if (count != -EINVAL) return count;
    transfer->must_read = true;
  }
  return read_into_pipe(transfer, length);
}

/*
 * Fills the (empty) pipe until the source or the pipe stops. Returns the last result: 0 or -errno, 1 at the budget, or
 * PULLED_SHORT.
 */
static int64_t fill(Transfer *transfer) {
  int32_t room;
  while ((room = transfer->moved_max - transfer->moved - transfer->queued) > 0) {
    int64_t count = pull(transfer, room < PULL_BYTES ? (size_t)room : PULL_BYTES);
    if (count <= 0) return count;
    transfer->queued += (int32_t)count;
    if (count < PULL_SHORT_BYTES && transfer->moved + transfer->queued == count) return PULLED_SHORT;
  }
  return 1;
}

/*
 * Pulls and flushes in turns. EAGAIN of a pull means either "the source is empty" or "the pipe is full", so it is believed only
 * if the pipe is empty; and the pipe is emptied before each fill, so a full one cannot stop the transfer.
 */
static int transfer_by_pipe(Transfer *transfer) {
  if (ioctl(transfer->pipe, FIONREAD, &transfer->queued) == -1) {
    transfer->misuse = errno;
    return TRANSFER_DRAINED;
  }
  for (;;) {
    int refused = flush(transfer);
    if (refused) return refused;
    if (transfer->moved == transfer->moved_max) return TRANSFER_BUDGET;
    int64_t last = fill(transfer);
    if (last == PULLED_SHORT) {
      refused = flush(transfer);
      if (refused) return refused;
      return transfer->moved == transfer->moved_max ? TRANSFER_BUDGET : TRANSFER_FEW;
    }
    if (transfer->queued > 0) continue;
    if (last == 0 || last == -EIO || last == -ECONNRESET) return TRANSFER_ENDED; /* EIO: no slave is open any more */
    if (last != -EAGAIN && last != -ENOMEM) transfer->misuse = (int)-last; /* ENOMEM: the source keeps the bytes, try later */
    return TRANSFER_DRAINED;
  }
}

/* Transfers from a source that is a pipe, and therefore its own escrow. */
static int transfer_directly(Transfer *transfer) {
  while (transfer->moved < transfer->moved_max) {
    size_t room = (size_t)(transfer->moved_max - transfer->moved);
    int64_t count = splice_retried(transfer->source, transfer->log, &transfer->position, room);
    if (count == -EAGAIN) return TRANSFER_DRAINED;
    if (count == 0) return TRANSFER_ENDED;
    if (count < 0) return (int)count;
    transfer->moved += (int32_t)count;
  }
  return TRANSFER_BUDGET;
}

napi_value js_transfer(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Transfer transfer = {
      .source = int_of(&call, call.at[0], "source"),
      .pipe = int_of(&call, call.at[1], "pipe"),
      .log = int_of(&call, call.at[2], "log"),
      .position = int64_of(&call, call.at[3], "position"),
  };
  int64_t bytes_max = int64_of(&call, call.at[4], "maxBytes");
  Bytes result = typed_array_of(&call, call.at[5], napi_int32_array, "result", "an Int32Array of two");
  if (!call.failed && result.length < 2) wrong(&call, "result", "an Int32Array of two");
  if (call.failed) return NULL;
  transfer.moved_max = bytes_max < 0 ? 0 : bytes_max > INT32_MAX ? INT32_MAX : (int32_t)bytes_max;
  int why = transfer.pipe < 0 ? transfer_directly(&transfer) : transfer_by_pipe(&transfer);
  int32_t *numbers = (int32_t *)result.data;
  numbers[0] = transfer.moved;
  numbers[1] = why;
  if (transfer.misuse) throw_errno(env, transfer.misuse, "splice", NULL);
  return NULL;
}

/*
 * Transfers bytes that a client gets at once, before any other work on them. They are read back from the log, so that only stored
 * bytes are sent. `frame` begins with the data before them, which ends with the header of their frame; its length is filled in
 * here.
 */
napi_value js_relay(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Transfer transfer = {
      .source = int_of(&call, call.at[0], "source"),
      .pipe = int_of(&call, call.at[1], "pipe"),
      .log = int_of(&call, call.at[2], "log"),
      .position = int64_of(&call, call.at[3], "position"),
      .moved_max = int_of(&call, call.at[4], "maxBytes"),
  };
  int socket = int_of(&call, call.at[5], "socket");
  Bytes frame = bytes_of(&call, call.at[6], "frame");
  Bytes result = typed_array_of(&call, call.at[7], napi_int32_array, "result", "an Int32Array of three");
  if (!call.failed && result.length < 3) wrong(&call, "result", "an Int32Array of three");
  if (call.failed) return NULL;
  int32_t *numbers = (int32_t *)(void *)result.data;
  size_t head = (size_t)numbers[2];
  if (head < HEADER_BYTES || transfer.moved_max < 0 || head + (size_t)transfer.moved_max > frame.length) {
    wrong(&call, "frame", "longer");
    return NULL;
  }
  loff_t from = transfer.position;
  numbers[1] = transfer_by_pipe(&transfer);
  numbers[0] = transfer.moved;
  numbers[2] = -1;
  if (transfer.misuse) throw_errno(env, transfer.misuse, "splice", NULL);
  if (transfer.misuse || transfer.moved == 0) return NULL;
  ssize_t got, sent;
  RETRY(got, pread(transfer.log, frame.data + head, (size_t)transfer.moved, from));
  if (got != transfer.moved) return NULL; /* not read back, so not sent */
  uint8_t *length = frame.data + head - HEADER_BYTES;
  length[0] = 0, length[1] = (uint8_t)(got >> 16), length[2] = (uint8_t)(got >> 8), length[3] = (uint8_t)got;
  RETRY(sent, send(socket, frame.data, head + (size_t)got, MSG_DONTWAIT | MSG_NOSIGNAL));
  numbers[2] = sent < 0 ? 0 : (int32_t)sent; /* full, or gone: the caller sends the rest, or detects the end */
  return NULL;
}

/*
 * Moves bytes from pipe to pipe: the kernel moves whole buffers under the locks of both, so no byte is ever in both or in none.
 */
napi_value js_splice(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int from = int_of(&call, call.at[0], "from");
  int to = int_of(&call, call.at[1], "to");
  int64_t bytes_max = int64_of(&call, call.at[2], "maxBytes");
  if (call.failed) return NULL;
  if (bytes_max <= 0) return from_int(env, 0);
  return from_int(env, (int)splice_retried(from, to, NULL, (size_t)(bytes_max < INT32_MAX ? bytes_max : INT32_MAX)));
}

/*
 * Returns one fd for both ends, by opening the pipe again through /proc, which halves the fds to hold and to hand over. The pipe
 * never reports an end of file, because it has its own writer; an escrow needs this.
 */
napi_value js_open_pipe(napi_env env, napi_callback_info info) {
  (void)info;
  int pair[2];
  if (pipe2(pair, O_CLOEXEC) == -1) return throw_errno(env, errno, "pipe2", NULL);
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", pair[0]);
  int both = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  int error = errno;
  close(pair[0]);
  close(pair[1]);
  if (both == -1) return throw_errno(env, error, "open", path);
  return from_int(env, both);
}
