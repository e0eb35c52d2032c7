import type { AttachItem } from '@spool/client';
import { expect, test } from 'vitest';
import { view } from './attach-view.ts';

async function told(items: readonly AttachItem[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note =
    (what: string) =>
    async (bytes: Uint8Array): Promise<void> =>
      void seen.push([what, Buffer.from(bytes).toString()]);
  async function* each(): AsyncGenerator<AttachItem> {
    yield* items;
  }
  const end = await view(each(), {
    paintSnapshot: note('snapshot'),
    paint: note('output'),
    resized: ({ cols, rows }) => seen.push(['resized', cols, rows]),
    onRefused: (code) => seen.push(['refused', code]),
    onGap: (from, to) => seen.push(['gap', from, to]),
    onNotice: async ({ title, body }) => void seen.push(['notice', title, body]),
  });
  return [...seen, end];
}

const output = (text: string): AttachItem => ({
  type: 'output',
  offset: 0,
  bytes: Buffer.from(text),
  stream: 'stdout',
});

test('what is for the eye is painted in order, what is not stays away from the screen', async () => {
  expect(
    await told([
      { type: 'snapshot', offset: 0, bytes: Buffer.from('screen') },
      { type: 'synced', offset: 0 },
      output('a'),
      { type: 'viewers', viewers: [] },
      { type: 'resized', offset: 1, cols: 1, rows: 1 },
      { type: 'reconnected', offset: 1 },
      { type: 'gap', from: 1, to: 5, reason: 'retention' },
      { type: 'input-refused', offset: 3, code: 'INPUT_QUEUE_FULL' },
      { type: 'notice', session: 'x', name: 'api', title: 'api needs your input', body: 'Continue?' },
      output('b'),
      { type: 'exit', offset: 6, state: 'failed', exitCode: 3, signal: null },
    ]),
  ).toEqual([
    ['snapshot', 'screen'],
    ['output', 'a'],
    ['resized', 1, 1],
    ['gap', 1, 5],
    ['refused', 'INPUT_QUEUE_FULL'],
    ['notice', 'api needs your input', 'Continue?'],
    ['output', 'b'],
    { type: 'exit', state: 'failed', exitCode: 3, signal: null },
  ]);
});

test.each<[AttachItem, unknown]>([
  [{ type: 'removed' }, { type: 'removed' }],
  [
    { type: 'taken-over', by: 'cli 7' },
    { type: 'taken-over', by: 'cli 7' },
  ],
])('%j ends it', async (item, end) => expect(await told([item, output('never')])).toEqual([end]));

test('who closes it has left', async () =>
  expect(await told([output('a')])).toEqual([['output', 'a'], { type: 'left' }]));
