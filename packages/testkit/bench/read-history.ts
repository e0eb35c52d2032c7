/**
 * Reads history at several places at once, each with its own connection, as other programs would: `node read-history.ts
 * SESSION BYTES_EACH FROM…`. A process of its own, because the benchmark measures what a `get` takes meanwhile: not what
 * reading the bytes costs a client. Says when it begins.
 */
import type { Client } from '@spool/client';
import { connect } from '@spool/client/node';

const [session, bytes, ...places] = process.argv.slice(2);

const clients = await Promise.all(places.map(() => connect({ env: process.env })));
await Promise.all(clients.map((client) => client.get(session!)));
process.stdout.write('begin\n');
await Promise.all(clients.map((client, at) => read(client, Number(places[at]), Number(bytes))));

async function read(client: Client, from: number, count: number): Promise<void> {
  let left = count;
  for await (const item of client.watch(session!, { from })) {
    if (item.type === 'output') left -= item.bytes.length;
    if (left <= 0) break;
  }
  client.close();
}
