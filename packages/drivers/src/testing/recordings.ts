/** The recordings, and their events. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AgentEvent } from '@spool/protocol/agent';
import type { DriverInput } from '../dialect.ts';
import { DIALECTS, DRIVER_NAMES, type DriverName } from '../dialects.ts';
import { Driver } from '../driver.ts';
import { BusiestClient, RecordingReader } from '../replay/recording.ts';

export interface AgentRecording {
  readonly agent: DriverName;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The recordings, which are read once: unpacking them takes a quarter of a second. */
let known: readonly AgentRecording[] | undefined;

export function recordings(): readonly AgentRecording[] {
  known ??= DRIVER_NAMES.flatMap((agent) => {
    const packed = readFileSync(join(import.meta.dirname, 'fixtures', `${agent}.json.br`));
    const texts = JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, string>;
    return Object.entries(texts).map(([name, text]) => ({ agent, name, bytes: Buffer.from(text) }));
  });
  return known;
}

/** Returns the inputs of a driver, read in these chunks. */
export function inputsOf(bytes: Uint8Array, chunks: Iterable<Uint8Array> = [bytes]): DriverInput[] {
  const counted = new BusiestClient();
  counted.push(bytes);
  const reader = new RecordingReader(counted.client);
  const inputs: DriverInput[] = [];
  for (const chunk of chunks) inputs.push(...reader.push(chunk));
  return [...inputs, ...reader.end()];
}

export function eventsOf(agent: DriverName, inputs: readonly DriverInput[]): AgentEvent[] {
  const driver = new Driver(DIALECTS[agent], 'session', { isReadOnly: true });
  return inputs.flatMap((input) => [...driver.take(input).events]);
}

/** Numbers that look random and are the same in each run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The bytes in pieces, mostly short ones. */
export function* pieces(bytes: Uint8Array, random: (below: number) => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(random(4) === 0 ? 20_000 : 300);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
