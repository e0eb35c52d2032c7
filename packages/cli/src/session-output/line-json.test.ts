import { expect, test } from 'vitest';
import { LineJsonWriter } from './line-json.ts';

function printed() {
  const texts: string[] = [];
  const json = new LineJsonWriter({ id: 'k3f', name: 'api' }, async (text) => void texts.push(text));
  const lines = (): unknown[] =>
    texts
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  return { json, lines };
}

test('[PAST-8] each line is an object with its time; headings are left out, a screen is told apart', async () => {
  const { json, lines } = printed();
  await json.print([
    { text: 'compiling', at: 1 },
    { text: '[full-screen program]', at: 2, isHeading: true },
    { text: '~ "quoted" \u001b', at: 2, isScreen: true },
  ]);
  await json.gap(10, 20);
  await json.end();
  expect(lines()).toEqual([
    { type: 'line', id: 'k3f', name: 'api', at: 1, text: 'compiling' },
    { type: 'screen-line', id: 'k3f', name: 'api', at: 2, text: '~ "quoted" \u001b' },
    { type: 'gap', id: 'k3f', name: 'api', from: 10, to: 20 },
  ]);
});

test('[PAST-8] a line that comes in pieces is one object, up to a megabyte', async () => {
  const { json, lines } = printed();
  await json.print([{ text: 'a'.repeat(5000), at: 1, isCut: true }]);
  await json.print([{ text: 'b', at: 1 }]);
  await json.print([{ text: 'c'.repeat(1024 * 1024), at: 2, isCut: true }]);
  await json.print([{ text: 'd', at: 2 }]);
  expect(lines().map((line) => (line as { text: string }).text.length)).toEqual([5001, 1024 * 1024, 1]);
});
