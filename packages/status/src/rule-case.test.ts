import { describe, expect, test } from 'vitest';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import { parseCase, type RuleCase, runCase } from './rule-case.ts';
import { parseRules, type RuleSet } from './rules.ts';

const DIALOG = ['Overwrite config.yaml? [y/N] '];

const saved = (more: object = {}): Record<string, unknown> => ({
  should: 'blocked',
  command: ['some-tool'],
  agent: null,
  screen: { lines: DIALOG, cursor: { row: 0, col: 29, isVisible: true }, isAlternate: false, title: '' },
  ...more,
});

function caseOf(json: unknown): RuleCase {
  const result = parseCase('a.json', json);
  if ('error' in result) throw new Error(result.error);
  return result.found;
}

function rulesOf(json: unknown): RuleSet {
  const { rules, errors } = parseRules('mine.json', json);
  expect(errors).toEqual([]);
  return rules!;
}

describe('[STATE-9] the present rules are applied to a saved screen', () => {
  test('built-in rules, with the rule that decided', () => {
    expect(runCase(BUILT_IN_RULES, caseOf(saved()))).toMatchObject({
      state: 'blocked',
      source: 'screen',
      rule: expect.stringMatching(/^any\//),
    });
  });

  test('a screen that no rule knows is not blamed on a rule; a rule of the user changes that', () => {
    const screen = { lines: ['zzz ready when you are', ''], cursor: { row: 1, col: 0 }, title: '' };
    const unknown = caseOf(saved({ should: 'idle', screen }));
    expect(runCase(BUILT_IN_RULES, unknown)).toMatchObject({ state: 'working', source: 'output', rule: null });
    const mine = rulesOf({
      agent: 'mine',
      commands: ['some-tool'],
      rules: [{ name: 'ready', says: 'idle', confidence: 0.8, in: 'bottom 3', all: ['ready when you are'] }],
    });
    expect(runCase([mine, ...BUILT_IN_RULES], unknown)).toMatchObject({ state: 'idle', rule: 'mine/ready' });
  });

  test('the agent that was known counts, also when it was started by a shell and its name has scrolled away', () => {
    const mine = rulesOf({
      agent: 'mine',
      rules: [{ name: 'ready', says: 'idle', confidence: 0.8, in: 'bottom 3', all: ['ready when you are'] }],
    });
    const screen = { lines: ['zzz ready when you are', ''], cursor: { row: 1, col: 0 } };
    const started = saved({ should: 'idle', command: ['bash'], screen });
    expect(runCase([mine, ...BUILT_IN_RULES], caseOf(started)).rule).not.toBe('mine/ready');
    expect(runCase([mine, ...BUILT_IN_RULES], caseOf({ ...started, agent: 'mine' })).rule).toBe('mine/ready');
  });

  test('an empty screen is that of a session that has been running for a while', () => {
    const screen = { lines: [''], cursor: { row: 0, col: 0 } };
    expect(runCase(BUILT_IN_RULES, caseOf(saved({ screen }))).state).toBe('working');
  });

  test('the title counts', () => {
    const titled = (title: string): unknown =>
      saved({ command: ['claude'], screen: { lines: ['hello', ''], cursor: { row: 1, col: 0 }, title } });
    expect(runCase(BUILT_IN_RULES, caseOf(titled('◐ Fixing the tests')))).toMatchObject({ source: 'title' });
  });
});

test.each([
  [[], 'a.json: the file: it must be an object, not a list'],
  [saved({ should: 'busy' }), 'a.json: "should" must be working, blocked or idle, not "busy"'],
  [saved({ shoud: 'idle' }), /a\.json: the file: "shoud" is unknown; use should, note/],
  [saved({ screen: undefined }), 'a.json: "screen": it must be an object, not undefined'],
  [saved({ screen: { cursor: { row: 0, col: 0 } } }), 'a.json: "lines" is missing'],
  [
    saved({ screen: { lines: [1], cursor: { row: 0, col: 0 } } }),
    /a\.json: each part of "lines" must be text of at most/,
  ],
  [saved({ screen: { lines: [], cursor: { row: -1, col: 0 } } }), /a\.json: "cursor.row" must be a number from 0/],
  [saved({ command: undefined }), 'a.json: "command" is missing'],
])('[STATE-9] a damaged case is a sentence: %j', (json, sentence) => {
  expect(parseCase('a.json', json)).toEqual({
    error: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  });
});
