import { expect, test } from 'vitest';
import { LinePrinter } from './line-printer.ts';

async function printed(use: (printer: LinePrinter) => Promise<void>, hasTimes = false): Promise<string> {
  let text = '';
  const printer = new LinePrinter(async (more) => void (text += more), { hasTimes });
  await use(printer);
  await printer.end();
  return text;
}

const line = (text: string, isCut = false): { text: string; at: number; isCut: boolean } => ({ text, at: 0, isCut });

test('[PAST-4] a prompt is shown, and its line goes on behind it; if it is rewritten, its last state is a new line', async () => {
  const asked = (open: string, last: string): Promise<string> =>
    printed(async (printer) => {
      await printer.showOpen(open, 0);
      await printer.print([line(last)]);
    });
  expect(await asked('sure? ', 'sure? yes')).toBe('sure? yes\n');
  expect(await asked('Name: ', 'Name:')).toBe('Name: \n');
  expect(await asked('sure? ', 'sure!')).toBe('sure? \nsure!\n');
  expect(await printed((printer) => printer.showOpen('open', 0))).toBe('open\n');
});

test('a line in parts is one line, with one time; headings have none', async () => {
  const text = await printed(async (printer) => {
    await printer.print([line('one', true), line('two'), { text: '[heading]', at: 0, isHeading: true }, line('x')]);
  }, true);
  expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:00\.000 {2}onetwo\n\[heading\]\n\d{4}.* {2}x\n$/);
});
