/** Tests the text in the input lines of real programs, at the marks of their recordings, and on hand-made screens. */
import { expect, test } from 'vitest';
import { ScreenModel, solidText } from '@spool/screen';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { agentInput } from './input-line.ts';
import { StatusReducer } from '../reducer.ts';
import { parseRules } from '../rules.ts';
import { recordings } from '../testing/recordings.ts';

function inputOf(agent: string, model: ScreenModel): string | null {
  const view = { lines: model.plainLines(), solid: model.lines().map(solidText), cursor: model.cursor };
  return agentInput(BUILT_IN_RULES, agent, view)?.text ?? null;
}

function screen(bytes: string, size = { cols: 80, rows: 10 }): ScreenModel {
  const model = new ScreenModel(size);
  model.write(Buffer.from(bytes));
  return model;
}

/** Marks at which text was typed, or the program has put typed text back; at all others the line is empty. */
const HOLD_TEXT = /^(?:submitted|pasted|slash-menu)$|-after-interrupt$/;
/** Marks with a dialog instead of an input line, or at which the agent describes its screen to a screen reader. */
const HAVE_NO_LINE = /permission|trust|question|theme|login|screen-reader|onboarding|exit/;

test('[IN-8] recordings: the input line is empty at every prompt, and holds what was typed before Enter', () => {
  const wrong: string[] = [];
  let [empty, held] = [0, 0];
  for (const { name, agent, cols, rows, bytes, events } of recordings()) {
    using model = new ScreenModel({ cols, rows });
    let at = 0;
    for (const event of events) {
      if (event[1] === 'o') model.write(bytes.subarray(at, (at += event[2])));
      else if (event[1] === 'r') model.resize(event[2], event[3]);
      if (event[1] !== 'm' || HAVE_NO_LINE.test(`${name} ${event[2]}`)) continue;
      const text = inputOf(agent, model);
      if (text !== null && text !== '' && !HOLD_TEXT.test(event[2])) wrong.push(`${name} ${event[2]}: ${text}`);
      if (text === '') empty++;
      else if (text !== null) held++;
    }
  }
  expect(wrong).toEqual([]);
  expect(empty).toBeGreaterThan(80);
  expect(held).toBeGreaterThan(30);
});

test('[IN-8] after Esc, Claude has put the prompt back', () => {
  const { bytes, events, cols, rows } = recordings().find(({ name }) => name === 'claude/tui-waiting-for-model')!;
  using model = new ScreenModel({ cols, rows });
  const mark = events.find((event) => event[1] === 'm' && event[2] === 'idle-after-interrupt')!;
  model.write(bytes.subarray(0, mark[3] as number));
  expect(inputOf('claude', model)).toBe('hang');
});

test.each([
  ['a placeholder that is dim', '❯ \x1b[7mh\x1b[27m\x1b[2mow do I log an error?\x1b[m', ''],
  ['a cursor that is drawn', '❯ \x1b[7m \x1b[m', ''],
  ['text with the cursor at its beginning', '❯ \x1b[7mf\x1b[mirst', 'first'],
  ['text of several lines', '❯ first\r\n  second\r\n\r\n  fourth', 'first\nsecond\n\nfourth'],
])('[IN-8] Claude: %s', (_name, input, text) => {
  using model = screen(`${'─'.repeat(80)}\r\n${input}\r\n${'─'.repeat(80)}\r\n  ? for shortcuts`);
  expect(inputOf('claude', model)).toBe(text);
});

test('[IN-8] Grok: what is suggested behind the cursor is no text, what is typed before it is', () => {
  const box = (text: string, col: number): ScreenModel =>
    screen(
      `╭${'─'.repeat(40)}╮\r\n│ ❯ ${text.padEnd(37)}│\r\n╰${'─'.repeat(40)}╯\r\n Tab/→:accept suggestion\x1b[2;${col}H`,
    );
  using suggested = box('Fix the tests', 5);
  expect(inputOf('grok', suggested)).toBe('');
  using typed = box('Fix the tests', 8);
  expect(inputOf('grok', typed)).toBe('Fix');
});

test('[IN-8] a shell: what stands behind its prompt, told by its looks or by its marks', () => {
  const reducer = new StatusReducer({ rules: BUILT_IN_RULES, command: ['bash'], startedAt: 0 });
  const nothing = { lines: [], solid: [], cursor: { row: 0, col: 0 } };
  const textOf = (line: string): string | undefined => reducer.inputLine(nothing, line)?.text;
  expect(textOf('$ ls')).toBeUndefined();
  const view = { lines: ['$'], cursor: { row: 0, col: 2 }, isCursorVisible: true, isAlternate: false, title: '' };
  reducer.screen(view, 10, 2);
  expect(textOf('$ ')).toBe('');
  expect(textOf('$ ls -l')).toBe('ls -l');
  expect(textOf('a line of a program')).toBeUndefined();
  reducer.fact({ type: 'prompt-start', start: 2, end: 3 }, 20);
  reducer.fact({ type: 'prompt-end', start: 8, end: 9 }, 20);
  reducer.promptEnded('~/code on main > ');
  expect(textOf('~/code on main > git ')).toBe('git');
  reducer.fact({ type: 'command-start', start: 20, end: 21 }, 30);
  expect(textOf('~/code on main > git ')).toBeUndefined();
  expect(reducer.inputLine(nothing, '')).toBeNull();
});

test('[IN-8] rules for input lines are checked like others', () => {
  const { rules, errors } = parseRules('mine.json', {
    agent: 'mine',
    input: [
      { in: 'bottom 5', match: '^> (.*)$', placeholders: ['^Say'] },
      { in: 'title', match: 'x' },
      { match: '(a+)+' },
    ],
    clear: ['C-u', 'Nokey'],
  });
  expect(rules?.input).toHaveLength(1);
  expect(rules?.clear).toEqual(['C-u']);
  expect(errors).toHaveLength(3);
});
