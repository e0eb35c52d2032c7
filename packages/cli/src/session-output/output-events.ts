/**
 * `--json-output`: what a session prints as NDJSON on standard error, beside whatever shows it on standard output. Nothing else
 * is written there: what would be a word to the person is an event too.
 */
import type { Client, TextItem } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { jsonText } from '../output/json-text.ts';
import { isEnded } from '../output/session-words.ts';
import { writeText } from '../output/stdio.ts';

export interface OutputEvents extends AsyncDisposable {
  /** A word to the person, where no terminal shows it. */
  notice(text: string): void;
}

/** Begins to tell. Disposing waits for the end of a session that has ended, and leaves one that runs on. */
export function tellOutput(client: Client, id: string, agent: string): OutputEvents {
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
      leaving.abort(); // where nobody reads any more, there is never room again
      if (!hasEnded) watch.close();
      await told;
    },
  };

  function tellNotice(text: string): void {
    void writeText(`${jsonText({ type: 'notice', agent, ts: Date.now(), text })}\n`, 2, leaving.signal);
  }

  function line(item: TextItem): string {
    if (item.type !== 'text') return `${jsonText({ ...item, agent, ts: Date.now() })}\n`;
    const { ts, data, offset } = item;
    return `${jsonText({ type: 'output', agent, ts, data, offset })}\n`;
  }
}
