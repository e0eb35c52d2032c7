/** Reads sessions in tests. */
import type { Client } from '@spool/client';

/** Returns the whole output of a session that has ended. */
export async function outputOf(client: Client, session: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const item of client.watch(session, { from: 0 })) if (item.type === 'output') chunks.push(item.bytes);
  return Buffer.concat(chunks);
}

/** Waits until a session's output contains `text`; returns all output so far. */
export async function seen(client: Client, session: string, text: string, withinMs = 50_000): Promise<string> {
  let all = '';
  const signal = AbortSignal.timeout(withinMs);
  try {
    for await (const item of client.watch(session, { from: 0, signal })) {
      if (item.type === 'output') all += Buffer.from(item.bytes).toString('latin1');
      if (all.includes(text)) return all;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const end = signal.aborted ? `${withinMs} ms passed` : 'the session ended';
  throw new Error(`${end} without ${JSON.stringify(text)}; it printed ${JSON.stringify(all.slice(-500))}`);
}
