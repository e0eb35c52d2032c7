/**
 * Passes connections on with a delay in each direction: `delay-proxy.mjs HOST PORT TARGET-HOST TARGET-PORT DELAY-MS`. It prints a line when it
 * listens. SIGUSR2 cuts every connection.
 */
import { connect, createServer } from 'node:net';

const [host, port, targetHost, targetPort, delay] = process.argv.slice(2);
const delayMs = Number(delay);
const open = new Set();

const server = createServer({ allowHalfOpen: false }, (client) => {
  const there = connect(Number(targetPort), targetHost);
  open.add(client).add(there);
  for (const [from, to] of [
    [client, there],
    [there, client],
  ]) {
    from.setNoDelay(true);
    from.on('data', (bytes) => void setTimeout(() => to.destroyed || to.write(bytes), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      setTimeout(() => to.destroy(), delayMs);
    });
  }
});

process.on('SIGUSR2', () => {
  for (const socket of open) socket.destroy();
});
server.listen(Number(port), host, () => process.stdout.write('listens\n'));
