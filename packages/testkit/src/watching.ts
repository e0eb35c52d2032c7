/** Reading sessions in tests. */
import type { Client } from '@spool/client';

/** The whole output of a session that has ended. */
export async function outputOf(client: Client, session: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const item of client.watch(session, { from: 0 })) if (item.type === 'output') chunks.push(item.bytes);
  return Buffer.concat(chunks);
}

/** Waits until a session's output holds `text`; gives all of it so far. */
export async function seen(client: Client, session: string, text: string): Promise<string> {
  let all = '';
  for await (const item of client.watch(session, { from: 0 })) {
    if (item.type === 'output') all += Buffer.from(item.bytes).toString('latin1');
    if (all.includes(text)) return all;
  }
  throw new Error(`the session ended without ${JSON.stringify(text)}; it printed ${JSON.stringify(all.slice(-500))}`);
}
