/**
 * Runs a proxy between a server and its clients: `cutting-proxy.mjs COMMAND…` runs COMMAND, which prints its address, and prints
 * its own address instead. SIGUSR2 cuts every connection, and refuses new ones for a while.
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const AWAY_MS = 1500;
const [file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['inherit', 'pipe', 'inherit'] });
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
process.on('SIGTERM', () => child.kill('SIGTERM'));
let target = 0;
const open = new Set();

const server = createServer((client) => {
  const there = connect(target, '127.0.0.1');
  open.add(client).add(there);
  for (const [from, to] of [
    [client, there],
    [there, client],
  ]) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  }
});

process.on('SIGUSR2', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  for (const socket of open) socket.destroy();
  setTimeout(() => server.listen(port, '127.0.0.1'), AWAY_MS);
});

createInterface({ input: child.stdout }).on('line', (line) => {
  const [, port] = /listening on http:\/\/[^:]+:(\d+)/.exec(line) ?? [];
  if (port === undefined) return process.stdout.write(`${line}\n`);
  target = Number(port);
  server.listen(0, '127.0.0.1', () => {
    const own = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    process.stdout.write(`opencode server listening on http://127.0.0.1:${own}\n`);
  });
});
