/**
 * `--json-output`: writes a session's output as NDJSON to stderr or a file, in addition to stdout. Then nothing else is written to
 * stderr, so messages for the user are events too.
 */
import type { Client, TextItem, WatchOptions } from '@spool/client';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { jsonText } from '../output/json-text.ts';
import { isEnded } from '../output/session-words.ts';
import { writeText } from '../output/stdio.ts';

export interface OutputEvents extends AsyncDisposable {
  /** Reports a message for the user as an event, if no terminal shows it. */
  notice(text: string): void;
  /** Whether the events go to stderr, where nothing else may be printed. */
  readonly isOnStderr: boolean;
}

export interface OutputEventsOptions {
  /** The offset to begin at (default: the first byte). */
  readonly from?: WatchOptions['from'];
  /** The time for which text may be collected (default: 100). */
  readonly flushMs?: number | undefined;
  /** Appends to this file instead of writing to stderr. */
  readonly file?: string | undefined;
}

/** Starts writing events. Disposing writes the rest of an ended session, but does not wait for a running one. */
export function tellOutput(
  client: Client,
  { id, name }: Pick<SessionInfo, 'id' | 'name'>,
  agent: string,
  { from = 0, flushMs, file }: OutputEventsOptions = {},
): OutputEvents {
  const leaving = new AbortController();
  const watch = client.watchText(id, { from, flushMs });
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream?.on('error', () => leaving.abort()); // the disk is full: the session itself continues
  const write = async (text: string): Promise<void> => {
    if (!stream) return await writeText(text, 2, leaving.signal);
    if (!stream.write(text)) await once(stream, 'drain', { signal: leaving.signal }).catch(() => {});
  };
  const tell = async (): Promise<void> => {
    for await (const item of watch) await write(line(item));
  };
  const told = tell().catch((error: unknown) => {
    if (!SpoolError.is(error)) throw error;
    tellNotice(`no more events: ${error.message}`);
  });
  return {
    notice: tellNotice,
    isOnStderr: stream === undefined,
    async [Symbol.asyncDispose]() {
      const hasEnded = await client.get(id).then(isEnded, (error: unknown) => SpoolError.is(error, 'SESSION_UNKNOWN'));
      leaving.abort(); // the reader is gone, so there will never be room again
      if (!hasEnded) watch.close();
      await told;
      if (stream) await new Promise((resolve) => stream.end(() => resolve(undefined)).once('error', resolve));
    },
  };

  function tellNotice(text: string): void {
    void write(`${jsonText({ type: 'notice', id, name, agent, ts: Date.now(), text })}\n`);
  }

  function line(item: TextItem): string {
    if (item.type !== 'text') return `${jsonText({ ...item, id, name, agent, ts: Date.now() })}\n`;
    const { ts, data, offset, stream: of } = item;
    return `${jsonText({ type: 'output', id, name, agent, ts, data, offset, ...(of === 'stderr' && { stream: of }) })}\n`;
  }
}
