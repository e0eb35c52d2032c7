/** Tests the proof that a prompt was accepted, on hand-made screens. */
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { agentInput } from '../sources/input-line.ts';
import { viewOf } from '../testing/views.ts';
import { findingOf, type PromptScreen, submissionOf } from './prompt-finding.ts';

const TOP = '▄'.repeat(40);
const BOTTOM = '▀'.repeat(40);
const PROMPT = 'please say kumquat';

/** Returns a screen of Gemini with this text in its box, below these lines. */
function gemini(box: string, above = '', more: Partial<PromptScreen> = {}): PromptScreen {
  const { lines, cursor } = viewOf(`${above}\n${TOP}\n${box}\n${BOTTOM}\n ~/project`);
  const line = agentInput(BUILT_IN_RULES, 'gemini', { lines, solid: lines, cursor });
  const input = line && { text: line.text, rows: line.box };
  return { state: 'idle', kind: 'prompt', source: 'screen', asks: null, input, lines, cursorRow: cursor.row, ...more };
}

const HELD = gemini(` > ${PROMPT}█`);
const EMPTY = ' > █  Type your message or @path/to/file';
const WORKS = { state: 'working', source: 'title', kind: null } as const;
const BEFORE = submissionOf(PROMPT, HELD);

test('[IN-48] text that stays in the input line was not taken, whatever is printed beside it, and whatever a title says', () => {
  const screens = [
    HELD,
    gemini(` > ${PROMPT}█`, 'a banner\nand more of it\nplease say kumquat'),
    gemini(` > ${PROMPT}█`, '', WORKS),
    gemini(` > ${PROMPT}█`, 'a\nb\nc\nd', { state: 'working', source: 'output' }),
  ];
  for (const screen of screens)
    expect(findingOf(BEFORE, screen)).toEqual({
      ...{ reaction: null, reason: 'the text is still in its input line', isNewLine: false },
    });
});

test('[IN-48] a line that is empty proves nothing by itself, nor does work that begins by itself', () => {
  for (const more of [{}, { state: 'working', source: 'output' } as const, WORKS])
    expect(findingOf(BEFORE, gemini(EMPTY, 'Tips for getting started', more))).toMatchObject({ reaction: null });
});

test('[IN-48] an empty line, and the text in the conversation: taken; also where it is wrapped', () => {
  expect(findingOf(BEFORE, gemini(EMPTY, ` > ${PROMPT}\n`))).toMatchObject({ reaction: 'screen' });
  expect(findingOf(BEFORE, gemini(EMPTY, ' > please say kum\n   quat\n', WORKS))).toMatchObject({
    reaction: 'working',
  });
  // An earlier mention counts only if there is one more of it, or work.
  const again = submissionOf(PROMPT, gemini(` > ${PROMPT}█`, ` > ${PROMPT}\n`));
  expect(findingOf(again, gemini(EMPTY, ` > ${PROMPT}\n`))).toMatchObject({ reaction: null });
  expect(findingOf(again, gemini(EMPTY, ` > ${PROMPT}\n`, WORKS))).toMatchObject({ reaction: 'working' });
  expect(findingOf(again, gemini(EMPTY, ` > ${PROMPT}\nso\n > ${PROMPT}`))).toMatchObject({ reaction: 'screen' });
});

test('[IN-48] a prompt of many lines is taken when work begins; a command of the agent when its line is empty', () => {
  const lines = submissionOf('one\ntwo\nthree', gemini(' > [Pasted Text: 3 lines]█'));
  expect(findingOf(lines, gemini(EMPTY, '', WORKS))).toMatchObject({ reaction: 'working' });
  expect(findingOf(lines, gemini(EMPTY))).toMatchObject({ reaction: null });
  const command = submissionOf('/clear', gemini(' > /clear█'));
  expect(findingOf(command, gemini(EMPTY))).toMatchObject({ reaction: 'screen' });
});

test('[IN-48] a dialog of a start is no answer; one that only work brings up is', () => {
  const asked = (kind: string): PromptScreen => gemini('Sure?', '', { state: 'blocked', kind, asks: 'Sure?' });
  expect(findingOf(BEFORE, { ...asked('trust'), input: null })).toMatchObject({
    reaction: null,
    reason: 'it asks: Sure?',
  });
  expect(findingOf(BEFORE, { ...asked('permission'), input: null })).toMatchObject({ reaction: 'blocked' });
  const working = { ...BEFORE, wasWorking: true };
  expect(findingOf(working, { ...asked('permission'), input: null })).toMatchObject({ reaction: null });
});

test('[IN-47] a new line that the agent made of Enter is recognised by the cursor, with the same text', () => {
  expect(findingOf(BEFORE, gemini(` > ${PROMPT}\n   █`))).toMatchObject({ reaction: null, isNewLine: true });
  expect(findingOf(BEFORE, gemini(` > ${PROMPT}\n   and mine█`))).toMatchObject({ reaction: null, isNewLine: false });
});
