import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Watcher } from '../viewers/watcher.ts';
import type { Child } from '../children/child.ts';
import type { OnWritten } from './input-sink.ts';
import { SessionInput, TYPIST_AGAIN_MS } from './session-input.ts';

let folder: string;
let terminal: FakeTerminal | null;
let typedAt: number[];
let typists: string[];
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-input-`);
  terminal = new FakeTerminal();
  typedAt = [];
  typists = [];
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** A terminal that takes every byte at once, or as many as `room` allows. */
class FakeTerminal {
  readonly isTerminal = true;
  readsByLine = false;
  queuedBytes = 0;
  room = Infinity;
  seen = '';

  push(bytes: Uint8Array, onWritten: OnWritten = () => {}): Promise<void> {
    const written = Math.min(bytes.length, this.room);
    this.seen += Buffer.from(bytes.subarray(0, written)).toString();
    onWritten(written);
    return written === bytes.length ? Promise.resolve() : new Promise(() => {});
  }
}

const input = (): SessionInput =>
  new SessionInput({
    folder,
    name: () => 'build',
    child: () => terminal as unknown as Child | null,
    onTyped: (at) => typedAt.push(at),
    onTypist: ({ who }) => typists.push(who),
  });

/** Creates a viewer that records its messages. */
function viewer(): { readonly watcher: Watcher; readonly told: unknown[] } {
  const told: unknown[] = [];
  const watcher = { confirm: (offset: number) => told.push(offset), emit: (event: unknown) => told.push(event) };
  return { watcher: watcher as unknown as Watcher, told };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('[IN-43] input with a key is typed once, also when the next keeper is asked again', async () => {
  expect(await input().writeOnce('k1', bytes('ls\r'), 'ann')).toBe(true);
  expect(await input().writeOnce('k1', bytes('ls\r'), 'ann')).toBe(false);
  expect(terminal!.seen).toBe('ls\r');
});

test('[IN-43] of input with a key that was cut by the death of a keeper, the next one types the rest', async () => {
  terminal!.room = 3;
  void input().writeOnce('k1', bytes('abcdef'), 'ann');
  terminal!.room = Infinity;
  expect(await input().writeOnce('k1', bytes('abcdef'), 'ann')).toBe(true);
  expect(terminal!.seen).toBe('abcdef');
});

test('[LIFE-1] what a viewer sends again is confirmed and not typed again', () => {
  const { watcher, told } = viewer();
  const first = input();
  expect(first.typed(watcher, 'ann', 's', 0, bytes('abc'))).toBe(true);
  expect(first.typed(watcher, 'ann', 's', 0, bytes('abc'))).toBe(false);
  expect(input().typed(watcher, 'ann', 's', 0, bytes('abcde'))).toBe(true);
  expect([terminal!.seen, told]).toEqual(['abcde', [3, 3, 5]]);
});

test('[IN-2] a viewer whose input is refused is told up to where', async () => {
  const { watcher, told } = viewer();
  terminal = null;
  input().typed(watcher, 'ann', 's', 0, bytes('abc'));
  await vi.waitFor(() => expect(told).toEqual([{ type: 'input-refused', offset: 3, code: 'SESSION_EXITED' }]));
});

test('[QRY-1] an answer waits for the end of a paste, and is recorded as given', async () => {
  const session = input();
  void session.write(bytes('\x1b[200~half'), 'ann');
  session.answer(bytes('ANSWER'), 40);
  expect([terminal!.seen, session.journal.answeredTo]).toEqual(['\x1b[200~half', 0]);
  void session.write(bytes('whole\x1b[201~'), 'ann');
  expect([terminal!.seen, input().journal.answeredTo]).toEqual(['\x1b[200~halfwhole\x1b[201~ANSWER', 40]);
});

test('[QRY-1] an answer does not wait for a paste that never ends', () => {
  vi.useFakeTimers();
  const session = input();
  void session.write(bytes('\x1b[200~half'), 'ann');
  session.answer(bytes('ANSWER'), 40);
  vi.advanceTimersByTime(1000);
  expect(terminal!.seen).toBe('\x1b[200~halfANSWER');
});

test('[IN-10] a line that the kernel would truncate is refused as a whole, and names the session', async () => {
  terminal!.readsByLine = true;
  const session = input();
  await session.write(bytes('x'.repeat(4000)), 'ann');
  await expect(session.write(bytes('y'.repeat(96)), 'ann')).rejects.toMatchObject({
    code: 'LINE_TOO_LONG',
    details: { session: 'build' },
  });
  terminal!.readsByLine = false;
  await session.write(bytes('z'.repeat(5000)), 'ann');
  expect(terminal!.seen.replaceAll(/(.)\1+/g, '$1')).toBe('xz');
});

test('[IN-6] the last client that typed is known, whichever way it typed', async () => {
  const session = input();
  await session.write(bytes('a'), 'ann');
  await session.writeOnce('k', bytes('b'), 'bob');
  expect(session.lastTyped).toMatchObject({ who: 'bob' });
  session.typed(viewer().watcher, 'cy', 's', 0, bytes('c'));
  expect(session.lastTyped).toMatchObject({ who: 'cy', at: expect.any(Number) as unknown });
  expect(typedAt).toHaveLength(3);
});

test('[IN-6] the next keeper knows who typed, in any alphabet, and records only a change or a return', async () => {
  vi.useFakeTimers();
  await input().write(bytes('a'), 'アンナ “ann”');
  expect(input().lastTyped).toEqual({ who: 'アンナ “ann”', at: Date.now() });
  vi.advanceTimersByTime(5000);
  await input().write(bytes('b'), 'アンナ “ann”');
  expect([input().lastTyped!.at, typists]).toEqual([Date.now(), ['アンナ “ann”']]);
  await input().write(bytes('c'), 'bob');
  vi.advanceTimersByTime(TYPIST_AGAIN_MS + 1);
  await input().write(bytes('d'), 'bob');
  expect(typists).toEqual(['アンナ “ann”', 'bob', 'bob']);
});

test('[IN-6] the longest names and eight streams fit into the journal', () => {
  const session = input();
  const who = '龍'.repeat(100);
  for (let stream = 0; stream < 8; stream++)
    session.typed(viewer().watcher, who, `${stream}`.repeat(36), 0, bytes('x'.repeat(50)));
  session.answer(bytes('A'), Number.MAX_SAFE_INTEGER);
  const next = input();
  expect([next.lastTyped!.who, next.journal.typedOf('0'.repeat(36)), next.journal.answeredTo]).toEqual([
    who,
    50,
    Number.MAX_SAFE_INTEGER,
  ]);
});
