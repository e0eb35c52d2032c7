/**
 * `--json-output`: writes a session's output as NDJSON to stderr, in addition to stdout. Nothing else is written to stderr, so
 * messages for the user are events too.
 */
import type { Client, TextItem } from '@spool/client';
import { type SessionInfo, SpoolError } from '@spool/protocol';
import { jsonText } from '../output/json-text.ts';
import { isEnded } from '../output/session-words.ts';
import { writeText } from '../output/stdio.ts';

export interface OutputEvents extends AsyncDisposable {
  /** Reports a message for the user as an event, if no terminal shows it. */
  notice(text: string): void;
}

/** Starts writing events. Disposing writes the rest of an ended session, but does not wait for a running one. */
export function tellOutput(
  client: Client,
  { id, name }: Pick<SessionInfo, 'id' | 'name'>,
  agent: string,
): OutputEvents {
  const leaving = new AbortController();
  const watch = client.watchText(id, { from: 0 });
  const tell = async (): Promise<void> => {
    for await (const item of watch) await writeText(line(item), 2, leaving.signal);
  };
  const told = tell().catch((error: unknown) => {
    if (!SpoolError.is(error)) throw error;
    tellNotice(`no more events: ${error.message}`);
  });
  return {
    notice: tellNotice,
    async [Symbol.asyncDispose]() {
      const hasEnded = await client.get(id).then(isEnded, (error: unknown) => SpoolError.is(error, 'SESSION_UNKNOWN'));
      leaving.abort(); // the reader is gone, so there is never room again
      if (!hasEnded) watch.close();
      await told;
    },
  };

  function tellNotice(text: string): void {
    void writeText(`${jsonText({ type: 'notice', id, name, agent, ts: Date.now(), text })}\n`, 2, leaving.signal);
  }

  function line(item: TextItem): string {
    if (item.type !== 'text') return `${jsonText({ ...item, id, name, agent, ts: Date.now() })}\n`;
    const { ts, data, offset } = item;
    return `${jsonText({ type: 'output', id, name, agent, ts, data, offset })}\n`;
  }
}
