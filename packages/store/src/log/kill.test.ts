import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { readAll, sampleBytes, Scratch, story, text } from './testing/fixture.ts';
import { Log } from './log.ts';

const WRITER = join(import.meta.dirname, 'fixtures', 'endless-writer.ts');
const OPTIONS = { segmentBytes: 5000 };

/** Kills the writer with SIGKILL as soon as it has printed this many lines; returns the announced writes. */
async function writeAndKill(folder: string, lines: number): Promise<{ readonly from: number; readonly to: number }[]> {
  const child = spawn(process.execPath, [WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const announced: { from: number; to: number }[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [from, to] = line.split(' ').map(Number);
    announced.push({ from: from!, to: to! });
    if (announced.length === lines) child.kill('SIGKILL');
  }
  await closed;
  return announced;
}

test('[LIFE-5, LOG-1, LOG-3] a writer killed in the middle of anything, again and again, leaves a valid log', async () => {
  using scratch = new Scratch();
  const streams = new Map<number, string>();
  let end = 0;
  for (const lines of [1, 2, 30, 101, 222]) {
    const announced = await writeAndKill(scratch.log, lines);
    expect(announced[0]!.from).toBe(end);
    for (const { from, to } of announced) {
      for (let offset = from; offset < to; offset++) streams.set(offset, from % 3 === 0 ? 'stderr' : 'stdout');
    }
    using log = Log.open(scratch.log, OPTIONS);
    expect(log.end).toBeGreaterThanOrEqual(announced.at(-1)!.to);
    end = log.end;
    for (const piece of readAll(log)) {
      expect(piece.type).toBe('bytes');
      if (piece.type === 'gap') continue;
      expect(Buffer.compare(piece.bytes, sampleBytes(piece.bytes.length, piece.from))).toBe(0);
      // Bytes that were written but not announced follow the rule too, but the test does not know where that write started.
      for (let i = 0; i < piece.bytes.length; i++) {
        const offset = piece.from + i;
        if (streams.has(offset) && streams.get(offset) !== piece.stream) throw new Error(`wrong stream at ${offset}`);
      }
    }
  }
  using log = Log.open(scratch.log, OPTIONS);
  log.append(text('the end'), Date.now());
  expect(story(log, end)).toBe('the end');
}, 60_000);
