/**
 * The gateway's entry point: a holder starts it, writes where the daemon is on its standard input, and keeps that open. When it
 * ends, so does the gateway. It holds no file descriptor of any session, and may be killed at any time. Keeps DOOR-10.
 */
import { createInterface } from 'node:readline';
import type { GatewayStart } from '@spool/protocol';
import { Gateway } from './gateway.ts';

process.umask(0o077);
process.title = 'spool-gateway';

const lines = createInterface({ input: process.stdin });
let gateway: Gateway | null = null;
const end = (): void => {
  if (gateway) void gateway.end();
  else process.exit(0);
};
lines.once('line', (line) => {
  gateway = new Gateway(JSON.parse(line) as GatewayStart);
  void gateway.run();
});
lines.once('close', end);
process.on('SIGTERM', end);
