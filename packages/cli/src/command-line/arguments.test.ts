import { expect, test } from 'vitest';
import { parseArguments, type Verb } from './arguments.ts';
import { UsageError } from './usage-error.ts';
import { VERBS } from './verb-table.ts';

const VERB = {
  summary: '',
  operands: ['[ID…]'],
  flags: {
    detach: { kind: 'on', short: 'd', about: '' },
    force: { kind: 'on', short: 'f', about: '' },
    name: { kind: 'text', short: 'n', about: '', value: 'NAME' },
    label: { kind: 'text', many: true, about: '' },
    'tail-bytes': { kind: 'bytes', about: '' },
    timeout: { kind: 'duration', short: 't', about: '' },
    count: { kind: 'whole', about: '' },
    headless: { kind: 'on', also: 'pipes', about: '' },
  },
  examples: [],
} as const satisfies Verb;

const NOTHING = {
  detach: false,
  force: false,
  name: undefined,
  label: [],
  tailBytes: undefined,
  timeout: undefined,
  count: undefined,
  headless: false,
  json: false,
};

test.each<[words: string, flags: object, operands: string[]]>([
  ['', {}, []],
  ['-d x y', { detach: true }, ['x', 'y']],
  ['x -d y', { detach: true }, ['x', 'y']],
  ['-df', { detach: true, force: true }, []],
  ['-dn NAME', { detach: true, name: 'NAME' }, []],
  ['-nNAME', { name: 'NAME' }, []],
  ['-n=NAME', { name: 'NAME' }, []],
  ['--name NAME', { name: 'NAME' }, []],
  ['--name=a=b', { name: 'a=b' }, []],
  ['--name=', { name: '' }, []],
  ['--name --json', { name: '--json' }, []],
  ['--label a=1 --label b=2', { label: ['a=1', 'b=2'] }, []],
  ['--name a --name b', { name: 'b' }, []],
  ['--tail-bytes 64k -t 5m', { tailBytes: 65536, timeout: 300_000 }, []],
  ['--count -5', { count: -5 }, []],
  ['-5 -', {}, ['-5', '-']],
  ['-- -d --json', {}, ['-d', '--json']],
  ['x -- y -- z', {}, ['x', 'y', '--', 'z']],
  ['--pipes', { headless: true }, []],
  ['--json', { json: true }, []],
])('%j', (words, flags, operands) => {
  expect(parseArguments('verb', VERB, split(words))).toEqual({
    flags: { ...NOTHING, ...flags },
    operands,
    help: false,
  });
});

test.each<[words: string, message: string]>([
  ['--forc', '`verb` has no flag --forc; did you mean --force?'],
  ['--zzz', '`verb` has no flag --zzz'],
  ['--constructor', '`verb` has no flag --constructor'],
  ['-z', '`verb` has no flag -z'],
  ['-force', '`verb` has no flag -o; did you mean --force?'],
  ['--name', '--name needs a value: NAME'],
  ['-n', '-n needs a value: NAME'],
  ['--detach=yes', '--detach takes no value'],
  ['-t soon', '-t "soon" is not a duration; use 500ms, 10s, 5m or 2h (a plain number is seconds)'],
])('%j is refused: %s', (words, message) => {
  expect(refusal(() => parseArguments('verb', VERB, split(words)))).toBe(message);
});

test.each<[words: string, flags: object, command: string[]]>([
  ['-d -- echo -n', { detach: true }, ['echo', '-n']],
  ['-d echo -d --json', { detach: true, json: false }, ['echo', '-d', '--json']],
  ['--env A=1 -e B sh -c ls', { env: ['A=1', 'B'] }, ['sh', '-c', 'ls']],
  ['-- --weird', {}, ['--weird']],
  ['a -- b', {}, ['a', '--', 'b']],
  ['--size 120x40 --timeout 1.5h x', { size: { cols: 120, rows: 40 }, timeout: 5_400_000 }, ['x']],
])('`run %s`: what follows the command is its own', (words, flags, command) => {
  const parsed = parseArguments('run', VERBS.run, split(words));
  expect(parsed.flags).toMatchObject(flags);
  expect(parsed.operands).toEqual(command);
});

test.each<[words: string, verbose: boolean, operands: string[]]>([
  ['-v run npm test -v', true, ['run', 'npm', 'test', '-v']],
  ['run -v -- npm -v', true, ['run', 'npm', '-v']],
  ['run npm -v', false, ['run', 'npm', '-v']],
  ['wait one -v two', true, ['wait', 'one', 'two']],
])('`task %s`: only what is to be run keeps its flags', (words, verbose, operands) => {
  const parsed = parseArguments('task', VERBS.task, split(words));
  expect({ verbose: parsed.flags.verbose, operands: parsed.operands }).toEqual({ verbose, operands });
});

test.each<[name: keyof typeof VERBS, words: string, message: string | null]>([
  ['run', '', null],
  ['run', '-d', null],
  ['kill', '-9 api', null],
  ['kill', '-x api', '`kill` has no flag -x'],
  ['send', '', '`send` needs ID'],
  ['ls', 'x', '`ls` takes no argument "x"'],
  ['attach', 'x y', '`attach` takes no argument "y"'],
  ['run', '--nmae x ls', '`run` has no flag --nmae; did you mean --name?'],
  ['send', 'x --weird', '`send` has no flag --weird; put -- before the text or command'],
  ['attach', '--history 200000', '--history "200000" is not a number from 0 to 20000, or all'],
  ['screen', '--history -5', '--history "-5" is not a number from 0 to 20000, or all'],
  ['screen', '--history 20001', '--history "20001" is not a number from 0 to 20000, or all'],
  ['screen', '--history some', '--history "some" is not a number from 0 to 20000, or all'],
  ['screen', '--history 0', null],
  ['attach', '--history 1000', null],
  ['stop', 'x y z', null],
  ['run', '--help', null],
])('`%s %s`: %s', (name, words, message) => {
  expect(refusal(() => parseArguments(name, VERBS[name], split(words)))).toBe(message);
});

/** The usage error's sentence, or null when there is none. */
function refusal(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

test.each<readonly [name: keyof typeof VERBS, words: readonly string[], message: string | null]>([
  ['rm', [''], 'the ID is empty: is a variable unset?'],
  ['stop', ['x', ''], 'the ID is empty: is a variable unset?'],
  ['send', ['', 'text'], 'the ID is empty: is a variable unset?'],
  ['logs', [''], 'the ID is empty: is a variable unset?'],
  ['task', ['cancel', ''], 'the ID is empty: is a variable unset?'],
  ['send', ['x', ''], null],
  ['task', ['run', ''], null],
  ['run', [''], null],
])('[RUN-20] an empty ID is not the latest session: `%s` %j', (name, words, message) => {
  expect(refusal(() => parseArguments(name, VERBS[name], words))).toBe(message);
});
