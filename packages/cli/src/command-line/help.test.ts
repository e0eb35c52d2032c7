import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseArguments, type Verb } from './arguments.ts';
import { grouped, longHelp, shortHelp, verbHelp } from './help.ts';
import { VERBS, type VerbName } from './verb-table.ts';

const NAMES = Object.keys(VERBS) as VerbName[];

test('[SAY-5] every verb is in one group of the long help, and the short one fits a screen', () => {
  expect(
    grouped()
      .flatMap(([, verbs]) => verbs)
      .toSorted(),
  ).toEqual(NAMES.toSorted());
  expect(longHelp(80)).toMatch(/\n\nRun and watch:\n {2}run .*\n\nType:\n {2}prompt /s);
  expect(shortHelp(80).split('\n').length).toBeLessThan(24);
});

/** Commands are not broken, so that they can be copied; nor is a word. */
const mayBeLong = (line: string): boolean => /^ {2}\S/.test(line) || !line.trim().includes(' ');

test.each([40, 80, 200])('[SAY-5] no line of any help is wider than a terminal of %i columns', (width) => {
  const pages = [shortHelp(width), longHelp(width), ...NAMES.map((name) => verbHelp(name, width))];
  const long = pages.flatMap((page) => page.split('\n')).filter((line) => line.length > width);
  const [head, tail] = ['Example', 'Usage'].map((word) => long.filter((line) => line.includes(word)));
  expect([head, tail, long.filter((line) => !mayBeLong(line))]).toEqual([[], [], []]);
});

test('[SAY-5] in a wide terminal the texts use its width, in a narrow one they stand below each other', () => {
  const widest = (width: number): number =>
    Math.max(
      ...longHelp(width)
        .split('\n')
        .map((line) => line.length),
    );
  expect(widest(200)).toBeGreaterThan(150);
  expect(verbHelp('run', 40)).toContain('  -d, --detach\n      do not attach: print the session\n');
});

test.each(NAMES)('the help of %s names its flags and has an example', (name) => {
  const text = verbHelp(name, 80);
  for (const flag of Object.keys(VERBS[name].flags)) expect(text).toContain(`--${flag}`);
  expect(text).toMatch(/\nExamples?:\n {2}\S/);
});

test.each(NAMES)('the examples of %s are understood', (name) => {
  const verb: Verb = VERBS[name];
  for (const [command] of verb.examples) {
    const inner = command.replace(/ 2?> .*$/, '').replace(/^eval "\$\((.*)\)"$/, '$1');
    // In a restricted shell, which runs no program by its path, and with functions in place of programs: what arrives at `spool`, word by word.
    const played = `spool() { printf '%s\\0' "$@"; }; jq() { cat; }; source() { cat; }; git() { :; }; ${inner}`;
    const words = execFileSync('bash', ['--restricted', '-c', played], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(words[0]).toBe(name);
    expect(() => parseArguments(name, verb, words.slice(1))).not.toThrow();
  }
});

test('no two flags of a verb share a letter', () => {
  for (const name of NAMES) {
    const shorts = Object.values(VERBS[name].flags as Verb['flags']).flatMap(({ short }) => short ?? []);
    expect([name, shorts.length, shorts.includes('h')]).toEqual([name, new Set(shorts).size, false]);
  }
});

test.each(['bash', 'zsh', 'fish'])('the completions for %s know every verb and flag', (shell) => {
  const script = printed(shell);
  for (const name of NAMES) {
    expect(script).toContain(name);
    for (const flag of Object.keys(VERBS[name].flags)) expect(script).toContain(flag);
  }
});

test('bash completes verbs, flags, words and sessions', () => {
  const script = printed('bash');
  const complete = (...words: string[]): string[] => {
    const line = `spool() { echo id1; echo api; echo 'my $(name)'; }; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _spool; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' })
      .split('\n')
      .slice(0, -1);
  };
  expect(complete('spool', 'at')).toEqual(['attach']);
  expect(complete('spool', 'attach', '--re')).toEqual(['--read-only']);
  const sessions = ['id1', 'api', 'my\\ \\$\\(name\\)'];
  expect(complete('spool', 'attach', '')).toEqual(sessions);
  expect(complete('spool', 'attach', 'a')).toEqual(['api']);
  expect(complete('spool', 'stop', 'id1', '')).toEqual(sessions);
  expect(complete('spool', 'send', '--enter', '')).toEqual(sessions);
  expect(complete('spool', 'send', 'id1', '')).toEqual(['']);
  expect(complete('spool', 'task', 'w')).toEqual(['wait']);
  expect(complete('spool', 'task', 'wait', '')).toEqual(sessions);
  expect(complete('spool', 'task', 'cancel', 'id1', 'a')).toEqual(['api']);
  expect(complete('spool', 'task', 'run', 'tru')).toContain('true');
  const waits = ['exit', 'idle', 'blocked', 'prompt', 'output', 'match:'];
  expect(complete('spool', 'wait', '--until', '')).toEqual(waits);
  expect(complete('spool', 'wait', '-u', 'm')).toEqual(['match:']);
  expect(complete('spool', 'prompt', 'api', '--wait', '')).toEqual(waits);
  expect(complete('spool', 'wait', '--timeout', '')).toEqual(['']);
  expect(complete('spool', 'run', '--cwd', '/et')).toContain('/etc');
  expect(complete('spool', 'run', '--', 'tru')).toContain('true');
  expect(complete('spool', 'daemon', 'st')).toEqual(['start', 'stop', 'status']);
  expect(complete('spool', 'run', '--hea')).toEqual(['--headless']);
  expect(complete('spool', 'help', 'comp')).toEqual(['completions']);
});

function printed(shell: string): string {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  return execFileSync(process.execPath, [main, 'completions', shell], { encoding: 'utf8' });
}
