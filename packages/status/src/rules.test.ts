import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import { readRulePattern } from './linear-pattern.ts';
import { agentOfCommand } from './sources/command-agent.ts';
import { parseRules } from './rules.ts';
import { readLine, readScreen } from './sources/screen-reading.ts';
import { viewOf } from './testing/views.ts';

const GOOD = {
  name: 'ask',
  says: 'blocked',
  kind: 'confirm',
  confidence: 0.8,
  in: 'bottom 3',
  all: ['Ready to ship\\?'],
};

test('a file of a user is read by the same rules as ours, and found first when it comes first', () => {
  const { rules, errors } = parseRules('ship.json', { agent: 'shipper', commands: ['ship'], rules: [GOOD] });
  expect(errors).toEqual([]);
  const all = [rules!, ...BUILT_IN_RULES];
  const started = agentOfCommand(all, ['ship']);
  const reading = readScreen(all, viewOf('Ready to ship?'), { started, agent: null });
  expect(reading).toMatchObject({ state: 'blocked', kind: 'confirm', rule: 'shipper/ask', agent: 'shipper' });
  expect(reading.why).toBe('the screen shows "Ready to ship?"');
});

test('a bad rule is a sentence that names file and rule; the others count', () => {
  const bad: readonly (readonly [object, string])[] = [
    [{ ...GOOD, says: 'exited' }, '"says" must be working, blocked or idle, not "exited"'],
    [{ ...GOOD, confidence: 2 }, '"confidence" must be a number from 0 to 1, not 2'],
    [{ ...GOOD, all: [] }, 'it has no condition that must be met, in "all" or "any"'],
    [{ ...GOOD, all: ['('] }, '"(": Invalid regular expression: /(/: Unterminated group'],
    [{ ...GOOD, all: ['a(?=b)'] }, '"a(?=b)": look-around is not supported'],
    [{ ...GOOD, all: ['(a)\\1'] }, '"(a)\\\\1": back-references are not supported'],
    [
      { ...GOOD, all: ['(a+)+$'] },
      '"(a+)+$": a repeated group may hold neither a repeat nor an alternative: it could run forever',
    ],
    [
      { ...GOOD, in: 'bottom 0' },
      '"in" is screen, cursor, title, notification, input, paragraph, below, "bottom N" or "above N" with N from 1 to 60, not "bottom 0"',
    ],
    [
      { ...GOOD, colour: 'red' },
      '"colour" is unknown; use name, says, kind, confidence, in, all, any, none, settleMs, quietMs, endedMs, freshMs, comment',
    ],
    [
      { ...GOOD, any: [{ in: 'title', match: 'x' }] },
      'one rule reads the screen, a title or a notification, not several of them',
    ],
  ];
  const { rules, errors } = parseRules('mine.json', { agent: 'x', rules: [...bad.map(([rule]) => rule), GOOD] });
  expect(errors).toEqual(bad.map(([, sentence]) => `mine.json: "ask": ${sentence}`));
  expect(rules!.rules.map(({ name }) => name)).toEqual(['x/ask']);
});

test('there are limits to how much a file may ask for', () => {
  const many = parseRules('many.json', { agent: 'x', rules: Array.from({ length: 101 }, () => GOOD) });
  expect(many.errors).toEqual(['many.json: "rules": it must have at most 100 parts, not 101']);
  const long = parseRules('long.json', { agent: 'x', rules: [{ ...GOOD, all: ['a'.repeat(201)] }] });
  expect(long.errors).toEqual([expect.stringMatching(/^long\.json: "ask": .*a pattern has at most 200 characters$/)]);
  expect(parseRules('no.json', [])).toEqual({
    rules: null,
    errors: ['no.json: the file: it must be an object, not a list'],
  });
});

test('patterns that could try for ever are refused, and only those', () => {
  const refused = [
    '(a+)+',
    '(?:a|b)*',
    '(a?)+b',
    '((a*))*',
    '(?:x(?:y+))+',
    'a{2,}',
    '(?<!a)b',
    '\\k<n>',
    '(?<n>a)\\k<n>',
  ];
  expect(refused.filter((source) => typeof readRulePattern(source) !== 'string')).toEqual([]);
  const taken = ['(?:ab)+c', '(?:a|b)?', '[(+*{|]+', '\\(a+\\)+', 'a\\{2\\}', '(?<n>a)b*', '(\\w+) (\\w+)'];
  expect(taken.filter((source) => typeof readRulePattern(source) === 'string')).toEqual([]);
});

test('with the flag that the daemon sets, even a pattern that backtracks a lot is soon done', () => {
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  const slow = parseRules('slow.json', { agent: null, rules: [{ ...GOOD, all: ['a*a*a*a*a*a*a*a*b'] }] });
  const view = viewOf(Array.from({ length: 60 }, () => 'a'.repeat(200)).join('\n'));
  const from = process.cpuUsage();
  expect(readScreen([slow.rules!], view, { started: null, agent: null }).state).toBeNull();
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(1000);
});

test('no JSON makes it throw, and what it takes throws at no screen', () => {
  const word = fc.constantFrom(
    'agent',
    'rules',
    'name',
    'says',
    'all',
    'any',
    'match',
    'in',
    'blocked',
    'title',
    'bottom 3',
    '^\\s+',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.jsonValue(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(word, tie('json')),
    ),
  }));
  const rule = fc.record({ ...GOOD_ARBITRARY, all: fc.array(fc.oneof(fc.string(), json), { maxLength: 3 }) });
  fc.assert(
    fc.property(
      fc.oneof(json, fc.record({ agent: fc.constantFrom(null, 'x'), rules: fc.array(fc.oneof(rule, json)) })),
      fc.string({ unit: 'binary' }),
      (file, text) => {
        const { rules, errors } = parseRules('f.json', file);
        expect(errors.every((error) => error.startsWith('f.json: '))).toBe(true);
        if (rules === null) return;
        readScreen([rules], viewOf(text, { title: text }), { started: 'x', agent: 'x' });
        readLine([rules], 'notification', text, null);
      },
    ),
    { numRuns: 300 },
  );
});

const GOOD_ARBITRARY = {
  name: fc.constant('a'),
  says: fc.constantFrom('idle', 'blocked', 'working', 'x'),
  confidence: fc.double(),
  in: fc.constantFrom('screen', 'cursor', 'title', 'bottom 2', 'nowhere'),
};
