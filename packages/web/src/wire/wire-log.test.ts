/** Tests the lines of a wire, as they are read from a log. */
import type { Client, WatchItem } from '@spool/client';
import { expect, test, vi } from 'vitest';
import { WireLog } from './wire-log.ts';
import { lineBy, lineTitle } from './wire-words.ts';

/** An output log of lines of 1,000 bytes, which is read in pieces of 700. */
class OutputLog {
  readonly bytes: Uint8Array;
  read = 0;

  constructor(lines: number) {
    const texts = Array.from({ length: lines }, (_, at) => `{"type":"line","at":${at}}`.padEnd(999, 'ä'));
    this.bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(''));
  }

  get client(): Client {
    const { bytes } = this;
    const count = (): void => void (this.read += 700);
    return {
      get: () => Promise.resolve({ firstOffset: 0, offset: bytes.length }),
      watch: (_id: string, { from }: { from: number }) => {
        async function* items(): AsyncGenerator<WatchItem> {
          for (let offset = from; offset < bytes.length; offset += 700) {
            count();
            yield { type: 'output', offset, bytes: bytes.subarray(offset, offset + 700), stream: 'stdout' };
          }
          yield { type: 'synced', offset: bytes.length } as WatchItem;
          await new Promise(() => {});
        }
        return Object.assign(items(), { close: () => {} });
      },
    } as unknown as Client;
  }
}

test('[CARD-13] the end of a wire is read first, then a page around any offset, with whole lines at their offsets', async () => {
  const log = new OutputLog(3000);
  const wire = new WireLog(log.client, 'id', true, () => {});
  void wire.follow();
  await vi.waitFor(() => expect(wire.state.isLoaded).toBe(true));
  const { lines, hasOlder, isLive } = wire.state;
  expect([hasOlder, isLive]).toEqual([true, true]);
  expect(lines.at(-1)!.text).toContain('"at":2999');
  const text = new TextDecoder();
  for (const { offset, text: shown } of lines)
    expect(text.decode(log.bytes.subarray(offset)).startsWith(`${shown}\n`)).toBe(true);
  const before = log.read;
  const middle = log.bytes.length / 2;
  await wire.show(middle);
  expect(log.read - before).toBeLessThan(200 * 1024);
  expect(wire.state.isLive).toBe(false);
  const line = lineBy(wire.state.lines, { at: null, offset: middle, event: null }, true)!;
  expect(line.offset).toBeLessThanOrEqual(middle);
  expect(line.offset + line.text.length * 2).toBeGreaterThan(middle);
  expect(lineTitle(line.text)).toBe('line');
  const [oldest] = wire.state.lines;
  await wire.readOlder();
  expect(wire.state.lines[0]!.offset).toBeLessThan(oldest!.offset);
  expect(new Set(wire.state.lines.map(({ offset }) => offset)).size).toBe(wire.state.lines.length);
  wire.close();
});
