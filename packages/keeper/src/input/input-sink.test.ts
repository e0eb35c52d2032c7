/** Uses real pipes; a keeper that is killed at a step is a journal that throws there, and then another sink on the same pipes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { native } from '@spool/native';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EscrowedSink } from './input-sink.ts';
import { InputJournal } from './journal.ts';

const KILLED = new Error('killed');
let folder: string;
let agent: number;
let escrow: number;
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-sink-`);
  agent = native.openPipe();
  escrow = native.openPipe();
});
afterEach(() => {
  native.close(agent);
  native.close(escrow);
  rmSync(folder, { recursive: true });
});

/** A journal that can be written `writes` times; before the next write, the keeper is killed. */
class MortalJournal extends InputJournal {
  #left: number;

  constructor(writes: number) {
    super(folder);
    this.#left = writes;
  }

  override recordTyped(stream: string, offset: number): void {
    this.#step();
    super.recordTyped(stream, offset);
    this.#step();
  }

  override recordEscrowed(isEscrowed: boolean, options?: { isLater?: boolean }): void {
    if (options?.isLater !== true) this.#step();
    super.recordEscrowed(isEscrowed, options);
  }

  #step(): void {
    if (this.#left-- <= 0) throw KILLED;
  }
}

/** Writes the line as `writeOnce` does: from the position in the journal. Returns false if the keeper is killed meanwhile. */
function typed(line: string, journal: InputJournal): boolean {
  try {
    const sink = new EscrowedSink(agent, escrow, journal);
    sink.move();
    const known = Math.min(journal.typedOf(line), line.length);
    sink.write(Buffer.from(line.slice(known)), (written) => journal.recordTyped(line, known + written));
    return true;
  } catch (error) {
    if (error !== KILLED) throw error;
    return false;
  } finally {
    journal.release();
  }
}

function arrived(): string {
  const room = new Uint8Array(1024);
  return Buffer.from(room.subarray(0, Math.max(0, native.read(agent, room)))).toString();
}

test('[EVT-6] a keeper is killed at every step: the line arrives once', () => {
  let kills = 0;
  for (let steps = 0, isWhole = false; !isWhole; steps++) {
    const line = `prompt ${steps}\n`;
    isWhole = typed(line, new MortalJournal(steps));
    let seen = arrived(); // the agent may have read the bytes from before the kill
    if (!isWhole) kills++;
    while (!typed(line, new MortalJournal(100)));
    seen += arrived();
    expect([steps, seen]).toEqual([steps, line]);
  }
  expect(kills).toBeGreaterThan(2);
});

test('[EVT-6] what an agent does not read yet waits in escrow, also for the next keeper, and comes in order', () => {
  const fill = Buffer.alloc(64 * 1024, 'x');
  while (native.write(agent, fill) > 0);
  expect(typed('one\n', new InputJournal(folder))).toBe(true);
  const next = new EscrowedSink(agent, escrow, new InputJournal(folder));
  expect(next.write(Buffer.from('two\n'), () => {})).toBe(-constants.errno.EAGAIN);
  let seen = '';
  for (let chunk: string; (chunk = arrived()) !== '';) seen += chunk.replaceAll('x', '');
  expect([seen, next.move()]).toEqual(['', 0]);
  expect(next.write(Buffer.from('two\n'), () => {})).toBe(4);
  expect(arrived()).toBe('one\ntwo\n');
});
