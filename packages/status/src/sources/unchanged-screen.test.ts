/** Tests the cost of a sample. Its duration is measured by `npm run bench -- detection`. */
import { expect, test } from 'vitest';
import { StatusReducer } from '../reducer.ts';
import { parseRules } from '../rules.ts';
import type { ScreenView } from './screen-lines.ts';

const WORDS = 'const line = await reader.next(); // ❯ 12. Yes, and the quick brown fox jumps over (the) lazy dog… ';

function picture(at: number): ScreenView {
  // New strings each time, as a model makes them: equal, but not identical.
  const lines = Array.from({ length: 60 }, (_, row) => `${row === 30 ? at : row} ${WORDS}${WORDS}`.slice(0, 200));
  return { lines, cursor: { row: 59, col: 4 }, isCursorVisible: true, isAlternate: true, title: 'x' };
}

test('[STATE-1] a screen that has not changed is not read at all', () => {
  let tries = 0;
  class Counting extends RegExp {
    override exec(text: string): RegExpExecArray | null {
      tries++;
      return super.exec(text);
    }
  }
  const { rules } = parseRules('x.json', {
    agent: null,
    rules: [{ name: 'x', says: 'idle', confidence: 1, all: ['^x$'] }],
  });
  const counting = {
    ...rules!,
    rules: rules!.rules.map((rule) => ({ ...rule, all: [{ ...rule.all[0]!, pattern: new Counting('^x$') }] })),
  };
  const reducer = new StatusReducer({ rules: [counting], command: ['make'], startedAt: 0 });
  reducer.screen(picture(0), 1, 1);
  expect(tries).toBe(60);
  for (let at = 2; at < 100; at++) reducer.screen(picture(0), at, at);
  expect(tries).toBe(60);
});
