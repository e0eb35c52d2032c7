import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { REPLAY_MS_MAX } from './drawing-cost.ts';
import { FILES_MAX, KEYFRAME_APART_BYTES, KEYFRAME_EVERY_BYTES, Keyframes } from './keyframes.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

function session(logBytes: number): { folder: string; files: () => { count: number; bytes: number; modes: number[] } } {
  const folder = mkdtempSync(`${tmpdir()}/spool-keyframes-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(`${folder}/log`);
  writeFileSync(`${folder}/log/0`, Buffer.alloc(logBytes));
  const files = () => {
    const stats = readdirSync(`${folder}/keyframes`).map((name) => statSync(`${folder}/keyframes/${name}`));
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    return { count: stats.length, bytes, modes: stats.map(({ mode }) => mode & 0o777) };
  };
  return { folder, files };
}

/** Returns data that compresses badly. */
const noise = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

test('[SCR-2] a model that is dropped again and again leaves one latest keyframe', () => {
  const { folder, files } = session(MIB);
  const keyframes = new Keyframes(folder);
  for (let offset = KEYFRAME_APART_BYTES; offset < KEYFRAME_EVERY_BYTES; offset += KEYFRAME_APART_BYTES)
    keyframes.write(offset, 0, noise(100));
  expect(files()).toMatchObject({ count: 1, modes: [0o600] });
  expect(keyframes.last).toBe(KEYFRAME_EVERY_BYTES - KEYFRAME_APART_BYTES);
});

test.each([
  { logMib: 80, countMax: FILES_MAX },
  { logMib: 500, countMax: 125 },
  { logMib: 6000, countMax: 512 },
])(
  '[SCR-2] a session of $logMib MiB has no more than $countMax keyframes, spread over all of it',
  { timeout: 120_000 },
  ({ logMib, countMax }) => {
    const { folder, files } = session(2 * MIB);
    const keyframes = new Keyframes(folder);
    // In a very long log they are written further apart, as during a flood; all of them would only take longer.
    const apart = logMib > 1000 ? 4 * MIB : MIB;
    for (let offset = apart; offset <= logMib * MIB; offset += apart) keyframes.write(offset, 0, noise(100));
    const { count } = files();
    expect(count).toBeLessThanOrEqual(countMax);
    expect(count).toBeGreaterThan(countMax - 5);
    const offsets = keyframes.before(Infinity).reverse();
    expect(offsets.at(-1)).toBe(logMib * MIB);
    const gaps = offsets.map((offset, at) => offset - (offsets[at - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual((4 * logMib * MIB) / countMax);
    expect(new Keyframes(folder).before(Infinity).reverse()).toEqual(offsets);
    // A further one between them would only replace another.
    const [first, second] = offsets.slice(-3);
    expect(keyframes.isWanted((first! + second!) / 2 + 1, MIB, 0)).toBe(second! - first! > (logMib * MIB) / countMax);
  },
);

test('[SCR-2] keyframes weigh no more than the log, and the latest stays', () => {
  const { folder, files } = session(300 * KIB);
  const keyframes = new Keyframes(folder);
  for (let offset = MIB; offset <= 15 * MIB; offset += MIB) keyframes.write(offset, 0, noise(50 * KIB));
  expect(files().bytes).toBeLessThanOrEqual(300 * KIB);
  expect(files().count).toBeGreaterThan(3);
  expect(keyframes.last).toBe(15 * MIB);
});

test('[SCR-2] what a replay finds in the middle is kept there', () => {
  const { folder } = session(MIB);
  const keyframes = new Keyframes(folder);
  keyframes.write(100 * MIB, 0, noise(10));
  keyframes.write(50 * MIB, 0, noise(10));
  expect(keyframes.before(Infinity)).toEqual([100 * MIB, 50 * MIB]);
  expect([keyframes.isWanted(51 * MIB, 8 * MIB, 0), keyframes.isWanted(60 * MIB, 8 * MIB, 0)]).toEqual([false, true]);
});

test('[SCR-8] keyframes of costly output stay within half a second of drawing, those of the cheap rest go', () => {
  const { folder } = session(2 * MIB);
  const keyframes = new Keyframes(folder);
  // 4 MiB, of which each 16 KiB take 300 ms, in 40 MiB that cost nothing.
  const isCostly = (offset: number): boolean => offset > 20 * MIB && offset <= 24 * MIB;
  for (let offset = 256 * KIB; offset <= 40 * MIB; offset += isCostly(offset + 16 * KIB) ? 16 * KIB : 256 * KIB)
    keyframes.write(offset, isCostly(offset) ? 300 : 0, noise(100));
  const all = new Keyframes(folder).before(Infinity).reverse();
  const costly = all.filter((offset) => isCostly(offset));
  const gaps = costly.slice(1).map((offset, at) => (offset - costly[at]!) / (16 * KIB));
  expect(Math.max(...gaps)).toBe(1);
  expect(all.length - costly.length).toBeLessThan(80);
});

test('[SCR-8] a keyframe within costly output is wanted where drawing takes long, however few the bytes', () => {
  const { folder } = session(MIB);
  const keyframes = new Keyframes(folder);
  keyframes.write(10 * KIB, 0, noise(10));
  keyframes.write(50 * KIB, 900, noise(10));
  expect(keyframes.isWanted(30 * KIB, MIB, 100)).toBe(false);
  expect(keyframes.isWanted(30 * KIB, MIB, REPLAY_MS_MAX)).toBe(true);
  expect(keyframes.isWanted(50 * KIB, MIB, REPLAY_MS_MAX)).toBe(false);
});

test('a keyframe is what was written, packed or as an older keeper left it; a damaged one is none', () => {
  const { folder } = session(MIB);
  const keyframes = new Keyframes(folder);
  const bytes = noise(1000);
  keyframes.write(MIB, 0, bytes);
  const read = (offset: number): Uint8Array | undefined =>
    new Keyframes(folder).read(offset, (stored) => Uint8Array.from(stored));
  expect(read(MIB)).toEqual(bytes);
  writeFileSync(`${folder}/keyframes/${String(2 * MIB).padStart(16, '0')}.key`, bytes);
  expect(read(2 * MIB)).toEqual(bytes);
  writeFileSync(`${folder}/keyframes/${String(3 * MIB).padStart(16, '0')}.key`, Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd));
  expect(read(3 * MIB)).toBeUndefined();
});
