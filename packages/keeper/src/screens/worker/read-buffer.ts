/** One buffer for all log reads of this thread: bytes are parsed at once, and none of them are kept. */
export const READ_BYTES = 64 * 1024;

/** The buffer. It is not a `Buffer`: its `slice` is a view, and code that keeps the end of a chunk relies on a copy. */
export const READ_BUFFER = new Uint8Array(READ_BYTES);
