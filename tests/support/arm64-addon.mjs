/**
 * Uses the addon for arm64 as the daemon does. It is run by Node for arm64, under qemu: `arm64-addon.mjs ADDON`. Prints one line of
 * JSON.
 */
import * as fs from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';

const loaded = { exports: {} };
process.dlopen(loaded, process.argv[2]);
const native = loaded.exports;
const report = { machine: process.arch };

/** Starts a shell with a script, and returns the child with a promise of its exit status. */
function start(script, size) {
  const argv = ['sh', '-c', script];
  const place = { cwd: '/', umask: 0o22, nofileSoft: 1024, cgroupProcsFd: -1 };
  const child = native.spawn({ file: '/bin/sh', argv, env: ['PATH=/usr/bin:/bin'], ...place, ...(size && { size }) });
  return { child, ended: () => until(() => native.exitStatus(child.pidfd)) };
}

async function until(value) {
  for (;;) {
    const found = value();
    if (found !== null) return found;
    await after(20);
  }
}

// A child on a terminal: size, input, output, exit code.
const terminal = start('read word; stty size; echo "got $word"; exit 3', { cols: 91, rows: 17 });
native.write(terminal.child.master, Buffer.from('hello\n'));
report.terminal = (await terminal.ended()).code;
const bytes = Buffer.alloc(1000);
report.printed = bytes.toString('latin1', 0, native.read(terminal.child.master, bytes));

// A child on pipes: its output goes to a file inside the kernel; a signal through its pidfd ends it.
const pipes = start('echo piped; exec sleep 100');
const log = fs.openSync(process.argv[3], 'w+');
await until(() => native.available(pipes.child.stdout) || null);
const result = new Int32Array(2);
native.transfer(pipes.child.stdout, -1, log, 0, 1000, result);
report.log = fs.readFileSync(process.argv[3], 'utf8');
native.pidfdSignal(pipes.child.pidfd, 15);
report.signal = (await pipes.ended()).signal;

// A file descriptor from one socket to another, and an event of the poller.
const [near, far] = native.socketPair();
const seen = new Promise((resolve) => {
  const poller = native.createPoller((ready, count) => {
    resolve([count, ready[0] === far]);
    poller.close();
  });
  poller.set(far, 1);
});
native.sendFds(near, Buffer.from('x'), [log]);
report.polled = await seen;
const fds = [];
native.receiveFds(far, Buffer.alloc(10), fds);
report.passed = fs.fstatSync(fds[0]).ino === fs.fstatSync(log).ino;
process.stdout.write(`${JSON.stringify(report)}\n`);
