/**
 * An agent that a test controls: `puppet-agent.mjs RECEIVED SOCKET`. Bytes that the test writes to the unix socket are copied to
 * stdout, so that the test decides about every line of the wire. It speaks Claude's stream-json as far as a handshake needs it,
 * and writes every line that it receives into the file RECEIVED.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { argv, exit, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

const [, , received, socket] = argv;

createServer((connection) => connection.pipe(stdout, { end: false })).listen(socket);

for await (const text of createInterface({ input: stdin })) {
  appendFileSync(received, `${text}\n`);
  const { type, request_id, request } = JSON.parse(text);
  if (type !== 'control_request') continue;
  const response = request.subtype === 'initialize' ? { commands: [], models: [] } : {};
  stdout.write(
    `${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id, response } })}\n`,
  );
}
exit(0);
