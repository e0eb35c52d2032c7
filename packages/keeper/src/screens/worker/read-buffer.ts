/** One buffer for all that this thread reads of logs: what is followed is parsed at once, and nothing of it is kept. */
export const READ_BYTES = 64 * 1024;

/** No `Buffer`: its `slice` is a view, and those who keep the end of a chunk rely on a copy. */
export const READ_BUFFER = new Uint8Array(READ_BYTES);
