/**
 * Prints who needs you, on all machines: first the nodes and the sessions that wait, then each change, until it is interrupted.
 * `node examples/fleet.ts`
 */
import { connect } from '@spool/client/node';

await using client = await connect();

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

for (const { name, state, since, version } of await client.nodes.list())
  say(`${name}: ${state} since ${new Date(since).toISOString()}, version ${version ?? 'unknown'}`);

for (const { node, name, status, nodeAwaySince } of await client.nodes.sessions({ states: ['running'] }))
  if (status.state === 'blocked')
    say(`${node ?? 'here'}/${name} waits for you${nodeAwaySince === undefined ? '' : ', and its machine is away'}`);

for await (const event of client.nodes.events({ types: ['session-status', 'node-online', 'node-away'] })) {
  if (event.type === 'session-status' && event.status.state === 'blocked')
    say(`${event.node ?? 'here'}/${event.id} waits for you: ${event.status.question?.text ?? event.status.why}`);
  else if (event.type === 'node-online' || event.type === 'node-away') say(`${event.node}: ${event.type}`);
}
