/**
 * Measures the speed of a watch and the cost of a round trip: `node bench/watch.ts [MiB]`. The baseline is the same
 * server read by a bare socket that discards everything.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectNet } from 'node:net';
import { tmpdir } from 'node:os';
import { encodeFrame, encodeJson, FrameType, PROTOCOL_VERSION } from '@spool/protocol';
import { Client } from '../src/index.ts';
import { sleep } from '../src/node/sleep.ts';
import { connectSocket } from '../src/node/socket-transport.ts';

const total = Number(process.argv[2] ?? 512) * 1024 * 1024;
const folder = mkdtempSync(`${tmpdir()}/spool-bench-`);

for (const frameBytes of [64 * 1024, 4 * 1024, 256]) {
  const bytes = frameBytes < 1024 ? total / 16 : total;
  const path = `${folder}/${frameBytes}`;
  const server = fork(new URL('./flood-server.ts', import.meta.url), [path, String(bytes), String(frameBytes)]);
  await once(server, 'message');
  await bare(path, bytes);
  for (let round = 0; round < 3; round++) {
    report(`${frameBytes} B frames, bare socket`, bytes, await bare(path, bytes));
    report(`${frameBytes} B frames, watch`, bytes, await watch(path, bytes));
  }
  if (frameBytes === 256) await roundTrips(path);
  server.kill();
}
rmSync(folder, { recursive: true });

function client(path: string): Client {
  return new Client({
    dial: (signal) => connectSocket(path, signal),
    sleep,
    now: () => performance.now(),
    randomId: () => 'a',
  });
}

async function watch(path: string, expected: number): Promise<Cost> {
  await using reader = client(path);
  await reader.open();
  return await measure(async () => {
    let bytes = 0;
    for await (const item of reader.watch('flood')) if (item.type === 'output') bytes += item.bytes.length;
    if (bytes !== expected) throw new Error(`${bytes} bytes`);
  });
}

async function bare(path: string, expected: number): Promise<Cost> {
  const socket = connectNet(path);
  await once(socket, 'connect');
  socket.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: 'bare' }));
  socket.write(encodeJson(FrameType.request, 1, { op: 'watch', creditBytes: 0 }));
  return await measure(async () => {
    let bytes = 0;
    socket.write(encodeFrame(FrameType.credit, 1, undefined, expected));
    for await (const chunk of socket) if ((bytes += (chunk as Buffer).length) >= expected) break;
  });
}

async function roundTrips(path: string): Promise<void> {
  await using asker = client(path);
  await asker.open();
  const times: number[] = [];
  for (let at = 0; at < 20_000; at++) {
    const before = performance.now();
    await asker.write('flood', 'x');
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  console.log(
    `write, confirmed: p50 ${(times[10_000]! * 1000).toFixed(0)} µs, p99 ${(times[19_800]! * 1000).toFixed(0)} µs`,
  );
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

async function measure(work: () => Promise<void>): Promise<Cost> {
  const before = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - before, cpuMs: (user + system) / 1000 };
}

function report(what: string, bytes: number, { ms, cpuMs }: Cost): void {
  const MiB = bytes / 1024 / 1024;
  console.log(
    `${what.padEnd(32)} ${((MiB / ms) * 1000).toFixed(0).padStart(6)} MiB/s, ${((cpuMs / MiB) * 1024).toFixed(0).padStart(5)} ms CPU per GiB`,
  );
}
