/** Tests which texts a program may offer for the clipboard. */
import type { Terminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { onCopyAsked } from './clipboard.ts';

/** Returns the texts that a user would be asked about. */
function askedBy(...sequences: readonly string[]): string[] {
  const asked: string[] = [];
  const handlers: ((data: string) => boolean | Promise<boolean>)[] = [];
  const terminal = {
    parser: { registerOscHandler: (_: number, handler: (data: string) => boolean) => handlers.push(handler) },
  };
  onCopyAsked(terminal as unknown as Terminal, (text) => asked.push(text));
  for (const data of sequences) expect(handlers[0]!(data)).toBe(true); // xterm must not handle it as well
  return asked;
}

test('[PAGE-50] a text is asked about, whatever its target; reading the clipboard and what is not base64 are ignored', () => {
  expect(askedBy(`c;${btoa('one')}`, `;${btoa('two')}`, 'c;?', 'c;***')).toEqual(['one', 'two']);
});

test('[PAGE-50] a text beyond the limit is not asked about', () => {
  expect(askedBy(`c;${btoa('x'.repeat(800_000))}`, `c;${btoa('y'.repeat(700_000))}`)).toEqual(['y'.repeat(700_000)]);
});
