/**
 * Reads history at several places at once, each with its own connection, as other programs would: `node read-history.ts
 * SESSION BYTES_EACH FROM…`. A process of its own, because the benchmark measures what a `get` takes meanwhile: not what
 * reading the bytes costs a client. Says when it begins and when it has read everything.
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

/** Again from its place when it has come to the end. */
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
