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
lines.once('line', (line) => void new Gateway(JSON.parse(line) as GatewayStart).run());
lines.once('close', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
