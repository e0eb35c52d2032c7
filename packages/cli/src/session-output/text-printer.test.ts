import { expect, test, vi } from 'vitest';
import { TextPrinter } from './text-printer.ts';

async function printed(chunks: readonly string[], isFollowing = false): Promise<string> {
  let text = '';
  using printer = new TextPrinter(async (more) => void (text += more), { isFollowing });
  for (const chunk of chunks) {
    await printer.push(Buffer.from(chunk));
    if (isFollowing) await vi.advanceTimersByTimeAsync(1000);
  }
  await printer.end();
  return text;
}

test.each([
  ['lines', ['a\nb\n'], 'a\nb\n'],
  ['a line without an end gets one', ['a\nb'], 'a\nb\n'],
  ['a progress bar is its last state', ['10%\r', '50%\r', '100%\ndone\n'], '100%\ndone\n'],
  ['escapes are not there', ['\x1b[3', '1mred\x1b[m\n'], 'red\n'],
  ['nothing is nothing', [], ''],
])('%s', async (_, chunks, text) => expect(await printed(chunks)).toBe(text));

test('while following, a prompt is shown when nothing is added for a moment, and its line goes on behind it', async () => {
  vi.useFakeTimers();
  try {
    expect(await printed(['sure? ', 'yes\n', 'next'], true)).toBe('sure? yes\nnext\n');
    expect(await printed(['Name: ', '\nNext: ', 'done\n'], true)).toBe('Name: \nNext: done\n');
    expect(await printed(['❯\u00a0', '\n'], true)).toBe('❯\u00a0\n');
    expect(await printed(['sure? ', '\rsure!\n'], true)).toBe('sure? \nsure!\n');
    expect(await printed(['10%', '\r20%', '\r30%\n'], true)).toBe('10%\n30%\n');
  } finally {
    vi.useRealTimers();
  }
});
