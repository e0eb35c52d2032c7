/** Tests a reader in another thread or process, which follows a log that another process writes, rotates, compresses and cuts. */
import fc from 'fast-check';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFiles, sampleBytes, Scratch, story, text } from './testing/fixture.ts';
import { Log } from './log.ts';

const MS = 1_000_000;

test('a reader sees what is written after it opened, over rotation', () => {
  using scratch = new Scratch();
  using reader = Log.open(scratch.log, { readOnly: true });
  expect([reader.end, story(reader), existsSync(scratch.log)]).toEqual([0, '', false]);
  using writer = Log.open(scratch.log, { segmentBytes: 4 });
  writer.append(text('ab'), MS);
  expect(story(reader)).toBe('ab');
  writer.append(text('cd'), MS);
  writer.append(text('efgh'), MS, 'stderr');
  expect(story(reader)).toBe('abcd[efgh]');
  writer.skip(3, MS);
  expect(story(reader)).toBe('abcd[efgh]<disk 8-11>');
  writer.append(text('x'), MS);
  expect(story(reader)).toBe('abcd[efgh]<disk 8-11>x');
});

test('[LOG-5] a reader is told of retention, and finds compressed what it knew raw', async () => {
  using scratch = new Scratch();
  using writer = Log.open(scratch.log, { segmentBytes: 4, retainMs: 1000 });
  writer.append(text('abcd'), MS);
  writer.append(text('efgh'), MS + 5000);
  writer.append(text('ijk'), MS + 5000);
  using reader = Log.open(scratch.log, { readOnly: true });
  expect(await writer.compressOne()).toBe(true);
  expect(story(reader)).toBe('abcdefghijk');
  expect(writer.retain(MS + 5000)).toBe(4);
  reader.release();
  expect(story(reader)).toBe('<retention 0-4>efghijk');
});

test('a reader with its own buffer allocates no other; bytes that do not fit still come whole', () => {
  using scratch = new Scratch();
  using writer = Log.open(scratch.log);
  writer.append(text('abcdefgh'), MS);
  const readInto = new Uint8Array(4);
  using reader = Log.open(scratch.log, { readOnly: true, readInto });
  const read = (from: number, bytes: number): Uint8Array => {
    const found = reader.read(from, bytes);
    return found.type === 'bytes' ? found.bytes : new Uint8Array(0);
  };
  const first = read(0, 4);
  expect([first.buffer === readInto.buffer, Buffer.from(first).toString()]).toEqual([true, 'abcd']);
  expect(Buffer.from(read(4, 4)).toString()).toBe('efgh');
  expect(Buffer.from(first).toString()).toBe('efgh'); // as documented: valid until the next read
  expect(Buffer.from(read(0, 8)).toString()).toBe('abcdefgh');
});

test('a reader changes nothing on the disk and cannot write', async () => {
  using scratch = new Scratch();
  using writer = Log.open(scratch.log, { segmentBytes: 4 });
  writer.append(text('abcdef'), MS);
  const names = readdirSync(scratch.log);
  const reader = Log.open(scratch.log, { readOnly: true, endAtLeast: 8, retainMs: 0 });
  expect(() => reader.sink()).toThrow('reading only');
  expect(() => reader.append(text('x'), MS)).toThrow('reading only');
  expect(() => reader.skip(1, MS)).toThrow('reading only');
  expect(() => reader.markResize(1, 1, MS)).toThrow('reading only');
  expect([reader.retain(MS * 9), await reader.compressOne(), await reader.flush()]).toEqual([0, false, undefined]);
  expect(story(reader)).toBe('abcdef<damaged 6-8>');
  reader.close();
  expect(readdirSync(scratch.log)).toEqual(names);
  writer.close();
  expect(openFiles(scratch.root, readlinkSync)).toEqual([]);
});

test('whatever the writer does between two reads, the reader gets each byte once, or a gap', async () => {
  const actions = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 40 }) },
      fc.constantFrom('compress', 'retain', 'release', 'read', 'read', 'read'),
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(actions, fc.integer({ min: 1, max: 30 }), async (actions, maxBytes) => {
      using scratch = new Scratch();
      using writer = Log.open(scratch.log, { segmentBytes: 16, retainBytes: 300 });
      using reader = Log.open(scratch.log, { segmentBytes: 16, readOnly: true });
      let cursor = 0;
      const readOn = () => {
        const read = reader.read(cursor, maxBytes);
        expect(read.from).toBe(cursor);
        if (read.type === 'bytes') {
          expect(read.bytes).toEqual(sampleBytes(read.bytes.length, cursor));
          cursor += read.bytes.length;
        } else if (read.type === 'gap') {
          expect([read.reason, read.to]).toEqual(['retention', writer.start]);
          cursor = read.to;
        } else expect(cursor).toBe(writer.end);
        return read.type !== 'end';
      };
      for (const action of actions) {
        if (typeof action === 'number') writer.append(sampleBytes(action, writer.end), MS);
        else if (action === 'compress') await writer.compressOne();
        else if (action === 'retain') writer.retain(MS);
        else if (action === 'release') reader.release();
        else readOn();
      }
      while (readOn());
      expect(cursor).toBe(writer.end);
    }),
    { numRuns: 100 },
  );
}, 60_000);
