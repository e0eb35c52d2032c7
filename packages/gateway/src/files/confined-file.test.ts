import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SpoolError } from '@spool/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ConfinedFile } from './confined-file.ts';
import { preview } from './preview.ts';
import { upload, UPLOADS_FOLDER } from './uploads.ts';

const SECRET = 'the secret outside';
let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(`${tmpdir()}/spool-beneath-`);
  folder = join(root, 'inside');
  mkdirSync(join(folder, 'sub', 'deep'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), SECRET);
  writeFileSync(join(folder, 'own.txt'), 'inside');
  writeFileSync(join(folder, 'sub', 'deep', 'own.txt'), 'deep inside');
  symlinkSync(root, join(folder, 'up'));
  symlinkSync('../secret.txt', join(folder, 'leak.txt'));
  symlinkSync('/', join(folder, 'sub', 'root'));
  symlinkSync('own.txt', join(folder, 'same.txt'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function textAt(path: string): Promise<string> {
  const found = await preview(folder, path);
  return JSON.stringify(found);
}

test('files and folders beneath are found', async () => {
  expect(await preview(folder, 'own.txt')).toMatchObject({ type: 'text', text: 'inside' });
  expect(await preview(folder, 'sub/deep/own.txt')).toMatchObject({ type: 'text', text: 'deep inside' });
  expect(await preview(folder, '')).toMatchObject({
    type: 'folder',
    entries: [
      { name: 'sub', type: 'folder' },
      { name: 'leak.txt', type: 'link' },
      { name: 'own.txt', type: 'file' },
      { name: 'pipe', type: 'other' },
      { name: 'same.txt', type: 'link' },
      { name: 'up', type: 'link' },
    ],
  });
});

const NAMES = ['own.txt', 'sub', 'deep', 'up', 'leak.txt', 'root', 'same.txt', 'pipe', 'secret.txt', 'etc', 'passwd'];
const ODD = ['..', '.', '', '...', '..\0', '%2e%2e', '..%2f', '\\..\\', '~', '\u202e', 'proc', 'self', 'fd', '0', ' '];

test('[FILE-1] no path leads out of the folder, whatever names it is made of', async () => {
  const segment = fc.oneof(fc.constantFrom(...NAMES, ...ODD), fc.string({ maxLength: 8, unit: 'binary' }));
  const path = fc.array(segment, { maxLength: 8 }).map((names) => names.join('/'));
  const prefixed = fc.oneof(
    path,
    path.map((text) => `/${text}`),
    path.map((text) => join(folder, text)),
  );
  await fc.assert(
    fc.asyncProperty(prefixed, async (asked) => {
      try {
        const shown = await textAt(asked);
        expect(shown).not.toContain(SECRET);
        expect(shown).not.toContain('root:');
        expect(asked.split('/').filter((name) => ['..', '.', 'up', 'root'].includes(name))).toEqual([]);
      } catch (error) {
        if (!SpoolError.is(error, 'FILE_UNKNOWN')) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

/** Runs in a separate thread, so that the swap happens between any two system calls of the reader. */
const SWAPPER = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: { real, link, shown, stop } } = require('node:worker_threads');
  parentPort.postMessage('begun');
  while (Atomics.load(stop, 0) === 0) {
    renameSync(shown, real);
    renameSync(link, shown);
    renameSync(shown, link);
    renameSync(real, shown);
  }`;

test('[FILE-1] a folder that becomes a link while it is opened does not lead out either', async () => {
  const [real, link, shown] = [join(folder, 'a-real'), join(folder, 'a-link'), join(folder, 'a')];
  mkdirSync(shown);
  writeFileSync(join(shown, 'secret.txt'), 'inside');
  symlinkSync(root, link);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const swapper = new Worker(SWAPPER, { eval: true, workerData: { real, link, shown, stop } });
  await new Promise((begun) => swapper.once('message', begun));
  let [found, missed] = [0, 0];
  try {
    // Until both results were seen often: then most looks coincided with a swap.
    for (let look = 0; look < 20_000 && (found < 300 || missed < 300); look++) {
      const text = await textAt('a/secret.txt').catch((error: unknown) =>
        SpoolError.is(error, 'FILE_UNKNOWN') ? '' : String(error),
      );
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('Error');
      if (text === '') missed++;
      else found++;
    }
  } finally {
    Atomics.store(stop, 0, 1);
    await new Promise((ended) => swapper.once('exit', ended));
  }
  expect([found > 0, missed > 0]).toEqual([true, true]);
  expect(readFileSync(join(shown, 'secret.txt'), 'utf8')).toBe('inside');
});

test('[FILE-2] HTML and SVG are text, and a picture is known by its bytes', async () => {
  writeFileSync(join(folder, 'page.html'), '<script>alert(1)</script>');
  writeFileSync(join(folder, 'drawing.svg'), '<svg onload="alert(1)"/>');
  writeFileSync(join(folder, 'named.png'), '<svg onload="alert(1)"/>');
  writeFileSync(join(folder, 'real.txt'), Buffer.from('89504e470d0a1a0a0000', 'hex'));
  writeFileSync(join(folder, 'bytes.bin'), Buffer.from([1, 0, 2]));
  for (const name of ['page.html', 'drawing.svg', 'named.png'])
    expect([name, (await preview(folder, name)).type]).toEqual([name, 'text']);
  expect(await preview(folder, 'real.txt')).toMatchObject({ type: 'image', mime: 'image/png' });
  expect(await preview(folder, 'bytes.bin')).toEqual({ type: 'binary', bytes: 3 });
});

test('[FILE-3] whatever an upload is called, it becomes a new file in our folder, and nothing else changes', async () => {
  const session = join(root, 'session');
  mkdirSync(session);
  const outside = readdirSync(root).sort();
  const name = fc.oneof(
    fc.string({ maxLength: 60, unit: 'binary' }),
    fc.array(fc.constantFrom(...NAMES, ...ODD), { maxLength: 6 }).map((names) => names.join('/')),
    fc.constantFrom(
      '../../secret.txt',
      '/etc/passwd',
      '.gitignore',
      'a.png\n',
      '$(reboot).png',
      '-rf',
      'x'.repeat(500),
    ),
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(name, async (asked) => {
      const path = await upload(session, asked, Buffer.from(asked));
      const own = path.slice(join(session, UPLOADS_FOLDER).length + 1);
      expect(own).toMatch(/^[\w-]+(\.[a-z0-9]{1,8})?$/);
      expect(readFileSync(path, 'utf8')).toBe(Buffer.from(asked).toString());
      expect(seen.has(own)).toBe(false);
      seen.add(own);
    }),
    { numRuns: 300 },
  );
  expect(readdirSync(session)).toEqual([UPLOADS_FOLDER]);
  expect(readdirSync(root).sort()).toEqual(outside);
  expect(readdirSync(join(session, UPLOADS_FOLDER))).toHaveLength(seen.size + 1);
});

test('[FILE-3] a link in the place of our folder is not followed', async () => {
  const session = join(root, 'trap');
  const target = join(root, 'target');
  mkdirSync(session);
  mkdirSync(target);
  symlinkSync(target, join(session, UPLOADS_FOLDER));
  await expect(upload(session, 'a.png', Buffer.from('x'))).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
  expect(readdirSync(target)).toEqual([]);
});

test('a file is read up to its limit, and its handle is closed', async () => {
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 20; round++) {
    await using found = await ConfinedFile.open(folder, 'own.txt');
    expect((await found.read(3)).toString()).toBe('ins');
  }
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1);
});

test('[FILE-3] an upload whose writing fails half-way, as on a full disk, leaves nothing', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-upload-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  async function* half(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half of it');
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  await expect(upload(folder, 'x.png', half() as unknown as Uint8Array)).rejects.toThrow(/no space left/);
  expect(readdirSync(join(folder, UPLOADS_FOLDER))).toEqual(['.gitignore']);
});

test('[FILE-3] an upload whose name is taken by chance fails: the file that is there stays as it is', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-upload-`);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const path = await upload(folder, 'x.png', Buffer.from('first'), 'same');
  await expect(upload(folder, 'x.png', Buffer.from('2'), 'same')).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
  expect(readFileSync(path, 'utf8')).toBe('first');
});
