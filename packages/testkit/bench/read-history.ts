/**
 * Reads history at several places at once, each with its own connection, as other programs would: `node read-history.ts SESSION
 * BYTES_EACH FROM…`. It is a separate process, because the benchmark measures the time of a `get` meanwhile, without the cost of
 * reading the bytes in a client. It reports its beginning, and its end after it has read all bytes.
 */
import type { Client } from '@spool/client';
import { connect } from '@spool/client/node';

const [session, bytes, ...places] = process.argv.slice(2);

const clients = await Promise.all(places.map(() => connect({ env: process.env })));
await Promise.all(clients.map((client) => client.get(session!)));
process.stdout.write('begin\n');
await Promise.all(clients.map((client, at) => read(client, Number(places[at]), Number(bytes))));
process.stdout.write('end\n');
for (const client of clients) client.close();

/** Reads bytes; at the end of the log it starts again from its place. */
async function read(client: Client, from: number, count: number): Promise<void> {
  const { offset: end } = await client.get(session!);
  for (let left = count; left > 0;) {
    for await (const item of client.watch(session!, { from })) {
      if (item.type !== 'output') continue;
      left -= item.bytes.length;
      if (left <= 0 || item.offset + item.bytes.length >= end) break;
    }
  }
}
