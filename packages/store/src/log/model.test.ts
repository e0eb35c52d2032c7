/**
 * Compares the log with a plain model: an array with a cell per offset, which holds a byte and its stream, or a gap. For any
 * order of appends, skips, kills, compressions, retention and files shortened or deleted by hand, the log answers as the model
 * does.
 */
import fc from 'fast-check';
import { readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAll, sampleBytes, Scratch } from './testing/fixture.ts';
import type { LogMark, LogStream } from './types.ts';
import { Log, type LogOpenOptions } from './log.ts';

/** The number of runs. `RUNS=15000` is a long run: one of its findings needed four thousand. */
const RUNS = Number(process.env['RUNS'] ?? 150);

interface Cell {
  readonly byte: number;
  readonly stream: LogStream;
}

/** The expected content of the log: bytes, and gaps that the disk or a user left. */
class Model {
  readonly cells: (Cell | 'disk' | 'damaged')[] = [];
  readonly resizes: LogMark[] = [];
  start = 0;
  now = 1000;
}

class World {
  readonly model = new Model();
  readonly #scratch: Scratch;
  readonly #options: LogOpenOptions;
  #folder: string;
  log: Log;

  constructor(scratch: Scratch, options: LogOpenOptions) {
    this.#scratch = scratch;
    this.#options = options;
    this.#folder = scratch.log;
    this.log = Log.open(this.#folder, options);
  }

  write(length: number, stream: LogStream): Uint8Array {
    const bytes = sampleBytes(length, this.model.cells.length);
    for (const byte of bytes) this.model.cells.push({ byte, stream });
    return bytes;
  }

  /** Kills the keeper: waiting data in memory is gone, and the next keeper reads the files as they are. */
  kill(): void {
    const folder = this.#scratch.copyOf(this.#folder);
    this.log.close();
    this.#folder = folder;
    this.log = Log.open(folder, this.#options);
  }

  /** Shortens or deletes a file of bytes, as a user might. */
  lose(which: number, keptShare: number): void {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith('.log'));
    const name = names[which % names.length];
    if (name === undefined) return;
    const path = join(this.#folder, name);
    const start = Number(name.slice(0, 16));
    const { size } = statSync(path);
    const kept = Math.floor(size * keptShare);
    if (kept === 0) rmSync(path);
    else truncateSync(path, kept);
    for (let offset = start + kept; offset < start + size; offset++) this.model.cells[offset] = 'damaged';
    this.log.release(); // otherwise bytes that were read before may still be cached
  }

  reopen(): void {
    this.log.close();
    this.log = Log.open(this.#folder, this.#options);
  }
}

type Action = (world: World) => void | Promise<void>;

const stream = fc.constantFrom<LogStream>('stdout', 'stdout', 'stderr');

const ACTIONS: fc.Arbitrary<readonly [name: string, act: Action]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 60 }), stream).map(([length, stream]) => append(length, stream)),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }).map(skip) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(40), stream).map(([length, stream]) => killAfterSplice(length, stream)) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5000 }).map(wait) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), fc.integer({ min: 1, max: 50 })).map(([at, length]) => readSome(at, length)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(9), fc.constantFrom(0, 0, 0.5, 0.9), fc.boolean())
      .map(([which, keptShare, isKilled]) => lose(which, keptShare, isKilled)),
  },
  ...[
    act('kill', (world) => world.kill()),
    act('reopen', (world) => world.reopen()),
    act('release', (world) => world.log.release()),
    act('resize', resize),
    act('flush', async ({ log }) => expect(await log.flush()).toBeUndefined()),
    act('compress', async ({ log }) => void (await log.compressOne())),
    act('retain', retain),
  ].map((action) => fc.constant(action)),
);

function act(name: string, run: Action): readonly [string, Action] {
  return [name, run];
}

function append(length: number, stream: LogStream): readonly [string, Action] {
  return act(`append ${length} ${stream}`, (world) => {
    expect(world.log.append(world.write(length, stream), world.model.now, stream)).toBe(length);
  });
}

function killAfterSplice(length: number, stream: LogStream): readonly [string, Action] {
  return act(`kill after ${length} ${stream} in the sink`, (world) => {
    const { fd, position, roomBytes } = world.log.sink(stream);
    const count = Math.min(length, roomBytes);
    writeSync(fd, world.write(count, stream), 0, count, position);
    world.kill();
  });
}

function lose(which: number, keptShare: number, isKilled: boolean): readonly [string, Action] {
  return act(`lose ${which} but ${keptShare}${isKilled ? ', kill' : ''}`, (world) => {
    world.lose(which, keptShare);
    if (isKilled) world.kill();
  });
}

function skip(length: number): readonly [string, Action] {
  return act(`skip ${length}`, ({ log, model }) => {
    log.skip(length, model.now);
    for (let i = 0; i < length; i++) model.cells.push('disk');
  });
}

function wait(ms: number): readonly [string, Action] {
  return act(`wait ${ms}`, ({ model }) => void (model.now += ms));
}

function readSome(at: number, length: number): readonly [string, Action] {
  return act(`read ${length} at ${at}`, ({ log, model }) => {
    const from = model.cells.length === 0 ? 0 : at % model.cells.length;
    const read = log.read(from, length);
    if (read.type === 'bytes') expect(read.bytes.length).toBeLessThanOrEqual(length);
    else expect(read.type).toBe(model.cells.length === 0 ? 'end' : 'gap');
  });
}

function resize({ log, model }: World): void {
  const [cols, rows] = [80 + model.resizes.length, 24];
  log.markResize(cols, rows, model.now);
  model.resizes.push({ type: 'resize', offset: model.cells.length, at: model.now, cols, rows });
}

function retain({ log, model }: World): void {
  const start = log.retain(model.now);
  expect(start).toBe(log.start);
  expect(start).toBeGreaterThanOrEqual(model.start);
  model.start = start;
}

/** Returns each cell as a word, so that a difference shows its place. */
function expected({ cells, start }: Model): string[] {
  return cells.map((cell, offset) =>
    offset < start
      ? `${offset} retention`
      : typeof cell === 'string'
        ? `${offset} ${cell}`
        : `${offset} ${cell.stream} ${cell.byte}`,
  );
}

function found(log: Log, maxBytes: number): string[] {
  return readAll(log, 0, maxBytes).flatMap((piece) =>
    piece.type === 'gap'
      ? Array.from({ length: piece.to - piece.from }, (_, i) => `${piece.from + i} ${piece.reason}`)
      : Array.from(piece.bytes, (byte, i) => `${piece.from + i} ${piece.stream} ${byte}`),
  );
}

/** Checks that times grow with offsets and offsets with times, and that the two searches agree. */
function expectMonotone({ log, model }: World): void {
  let before = 0;
  for (let offset = log.start; offset < log.end; offset++) {
    const at = log.timeAt(offset) ?? before;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(model.now);
    if (log.timeAt(offset) !== undefined) expect(log.offsetAt(at)).toBeGreaterThan(offset);
    before = at;
  }
  let reached = 0;
  for (let time = 900; time <= model.now + 100; time += Math.ceil(model.now / 50)) {
    const offset = log.offsetAt(time);
    expect(offset).toBeGreaterThanOrEqual(reached);
    expect(offset).toBeLessThanOrEqual(log.end);
    reached = offset;
  }
}

test(
  '[LOG-1] [LOG-3] [LOG-4] [LOG-5] the log agrees with a plain model, whatever happens in whatever order',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ACTIONS, { maxLength: 30 }),
        fc.integer({ min: 1, max: 50 }),
        fc.record({
          segmentBytes: fc.integer({ min: 1, max: 64 }),
          retainBytes: fc.integer({ min: 0, max: 2000 }),
          retainMs: fc.integer({ min: 0, max: 20_000 }),
        }),
        async (actions, maxBytes, options) => {
          using scratch = new Scratch();
          const world = new World(scratch, options);
          for (const [, run] of actions) {
            await run(world);
            expect([world.log.start, world.log.end]).toEqual([world.model.start, world.model.cells.length]);
          }
          expect(found(world.log, maxBytes)).toEqual(expected(world.model));
          const resizes = [...world.log.marks(0, Infinity)].filter((mark) => mark.type === 'resize');
          // A resize at the very start may be in the index of the segment before, and disappear with it.
          const isKept = ({ offset }: LogMark) => offset > world.model.start;
          expect(resizes.filter(isKept)).toEqual(world.model.resizes.filter(isKept));
          expectMonotone(world);
          world.log.close();
        },
      ),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 100,
);
