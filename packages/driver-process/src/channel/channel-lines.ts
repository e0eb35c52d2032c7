/**
 * Reads the log of a side channel as a `Watch` reads the output of a session: from an offset, as it grows, until the session has
 * ended. Keeps the reading part of CHAN-3: the log is a file that only grows, so a restarted driver continues where the previous
 * one stopped.
 */
import { constants, watch } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { WatchItem } from '@spool/client/driver';
import { openPlainFile } from './line-copier.ts';

const PIECE_BYTES = 64 * 1024;

export interface ChannelEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Opens the log of a channel. Rejects if something else has taken its place: a pipe would keep its reader waiting. */
export async function openChannelLog(path: string, flags: number): Promise<FileHandle> {
  const file = await openPlainFile(path, flags);
  if (file === null) throw new Error('the log of the side channel is missing, or is not a file');
  return file;
}

/** `ended` resolves when the session has ended and everything is in the log. */
export async function* channelLines(
  path: string,
  from: number,
  ended: Promise<ChannelEnd>,
): AsyncGenerator<WatchItem, undefined> {
  let grown = Promise.withResolvers<void>();
  let end: ChannelEnd | null = null;
  const watcher = watch(path, () => grown.resolve());
  void ended.then((how) => {
    end = how;
    grown.resolve();
  });
  const file = await openChannelLog(path, constants.O_RDONLY);
  let offset = from;
  try {
    for (;;) {
      grown = Promise.withResolvers();
      const isLast = end !== null;
      for (;;) {
        const bytes = new Uint8Array(PIECE_BYTES);
        const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES, offset);
        if (bytesRead === 0) break;
        yield { type: 'output', offset, bytes: bytes.subarray(0, bytesRead), stream: 'stdout' };
        offset += bytesRead;
      }
      if (isLast) break;
      if (end === null) await grown.promise;
    }
    yield { type: 'exit', offset, ...end! } as WatchItem;
  } finally {
    watcher.close();
    await file.close();
  }
  return undefined;
}
