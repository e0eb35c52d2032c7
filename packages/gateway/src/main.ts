/**
 * The gateway's entry point: a holder starts it, sends it where the daemon is, and keeps their link open. When the link ends, so does
 * the gateway. It holds no file descriptor of any session, and may be killed at any time. Keeps DOOR-10.
 */
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import type { GatewayListens, GatewayPing, GatewayPong, GatewayStart } from '@spool/protocol';
import { Gateway } from './gateway.ts';

process.umask(0o077);
process.title = 'spool-gateway';

const [way, linkFd] = process.argv.slice(2);
if (way !== '--link-fd') {
  process.stderr.write('The gateway is started by spool itself; run `spool web`.\n');
  process.exit(2);
}

let gateway: Gateway | null = null;
const end = (): void => {
  if (gateway) void gateway.end();
  else process.exit(0);
};
const begin = (start: GatewayStart, fd?: number): void => {
  gateway = new Gateway(start, {
    held: start.door && fd !== undefined ? { ...start.door, fd } : null,
    keep: (door, listening) => link.send({ door }, [listening]),
  });
  void gateway.run();
};
const link: FdLink<GatewayStart | GatewayPing, GatewayListens | GatewayPong> = new FdLink(
  new FdWatch(),
  Number(linkFd),
  {
    onMessage: (message, [fd]) => ('ping' in message ? link.send({ pong: true }) : begin(message, fd)),
    onFdsLost: (message) => 'ping' in message || begin(message),
    onEnd: end,
  },
);
process.on('SIGTERM', end);
