/** The skill teaches what there is: every command in it is one that the command line understands. */
import { expect, test } from 'vitest';
import { parseArguments } from './command-line/arguments.ts';
import { SKILL } from './skill.ts';
import { isVerb, VERBS } from './command-line/verb-table.ts';

/** Splits a line as a shell would: words in quotes are one, and a comment has none. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(#.*)|(\S+)/g)].flatMap(([, double, single, comment, bare]) =>
    comment === undefined ? [double ?? single ?? bare!] : [],
  );
}

const commands = [...SKILL.matchAll(/~~~sh\n(.*?)~~~/gs)].flatMap(([, block]) => block!.trim().split('\n'));

test('[MCP-8] every command of the skill is understood by the command line', () => {
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) {
    const [program, verb = '', ...words] = wordsOf(command);
    expect(program, command).toBe('spool');
    expect(isVerb(verb), command).toBe(true);
    if (isVerb(verb)) expect(() => parseArguments(verb, VERBS[verb], words), command).not.toThrow();
  }
});

test('[MCP-8] the skill ends and deletes only sessions that it has started, each by its name', () => {
  const all = commands.map(wordsOf);
  const started = all.flatMap((words) => (words.includes('--name') ? [words[words.indexOf('--name') + 1]] : []));
  const ending = all.filter(([, verb = '']) => ['stop', 'kill', 'rm'].includes(verb));
  expect(ending.length).toBeGreaterThan(1);
  for (const [, , ...operands] of ending) {
    expect(operands.length).toBeGreaterThan(0);
    expect(operands.filter((operand) => !started.includes(operand))).toEqual([]);
  }
  expect(SKILL).not.toMatch(/--all|--ended|--older-than|rm -f|rm --force|\bkill /);
});

test('[MCP-8] the skill begins with its name and what it is for, on one line each', () => {
  expect(SKILL).toMatch(/^---\nname: spool\ndescription: \S[^\n]{40,1000}\n---\n/);
});
