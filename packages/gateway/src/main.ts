/**
 * The gateway's entry point: a holder starts it, sends it the daemon's address, and keeps their link open. When the link ends, so
 * does the gateway. It holds no file descriptor of any session, and may be killed at any time. Keeps DOOR-10.
 */
import { native } from '@spool/native';
import { FdLink } from '@spool/native/fd-link';
import { FdWatch } from '@spool/native/fd-watch';
import {
  gatewayFaultsFile,
  type GatewayListens,
  type GatewayPing,
  type GatewayPong,
  type GatewayStart,
  LOAD_CHECK,
} from '@spool/protocol';
import { ConnectionFaults } from './http/connection-faults.ts';
import { writeFaults } from './http/faults-file.ts';
import { Gateway } from './gateway.ts';

/** The time for a gateway to end by itself after the death of its holder; one that hangs is then ended by the kernel. */
const END_SECONDS_MAX = 10;

if (process.argv[2] === LOAD_CHECK.argument) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}
process.umask(0o077);
process.title = 'spool-gateway';

const [way, linkFd] = process.argv.slice(2);
if (way !== '--link-fd') {
  process.stderr.write('The gateway is started by spool itself; run `spool web`.\n');
  process.exit(2);
}

native.endWithParent(Number(linkFd), END_SECONDS_MAX);

let gateway: Gateway | null = null;
let faultsFile: string | null = null;
const faults = new ConnectionFaults({
  say: (line) => process.stderr.write(`gateway: ${line}\n`),
  onEndless() {
    process.stderr.write('gateway: faults do not end, so it leaves its place to the next one\n');
    process.exit(1);
  },
  onCount: (counts) => faultsFile !== null && writeFaults(faultsFile, counts),
});
process.stderr.on('error', () => {}); // the disk is full: the error cannot be logged
process.on('uncaughtException', (error) => faults.take(error));
process.on('unhandledRejection', (reason) => faults.take(reason));

const end = (): void => {
  if (gateway) void gateway.end();
  else process.exit(0);
};
const begin = (start: GatewayStart, fd?: number): void => {
  faultsFile = gatewayFaultsFile(start.home);
  gateway = new Gateway(
    start,
    {
      held: start.door && fd !== undefined ? { ...start.door, fd } : null,
      keep: (door, listening) => link.send({ door }, [listening]),
    },
    faults,
  );
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
