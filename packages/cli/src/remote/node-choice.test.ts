import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { doorsFolder, homeFrom, nodesFile } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { parseArguments, type Verb } from '../command-line/arguments.ts';
import { VERBS, type VerbName } from '../command-line/verb-table.ts';
import { chooseNode } from './node-choice.ts';

function machine(...names: string[]): Record<string, string> {
  const folder = mkdtempSync(`${tmpdir()}/spool-nodes-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { SPOOL_HOME: folder };
  const home = homeFrom(env, 0);
  mkdirSync(doorsFolder(home), { recursive: true });
  writeFileSync(nodesFile(home), JSON.stringify(names.map((name) => ({ name }))));
  return env;
}

const chosen = (env: Record<string, string>, name: VerbName, ...words: string[]): unknown => {
  const verb: Verb = VERBS[name];
  const found = chooseNode(name, verb, parseArguments(name, verb, words), env);
  return found && [found.host.node, ...found.args.operands];
};

test('[NODE-6] NODE/ID names a session of a known node, wherever a verb takes an ID', () => {
  const env = machine('build1', 'build2');
  expect(chosen(env, 'attach', 'build1/api')).toEqual(['build1', 'api']);
  expect(chosen(env, 'stop', 'build1/a', 'build1/b/c')).toEqual(['build1', 'a', 'b/c']);
  expect(chosen(env, 'send', 'build1/a', 'build2/is/text')).toEqual(['build1', 'a', 'build2/is/text']);
  expect(chosen(env, 'send', 'a', 'build2/is/text')).toBeNull();
  expect(chosen(env, 'task', 'wait', 'build1/t')).toEqual(['build1', 'wait', 't']);
  expect(chosen(env, 'task', 'run', 'build1/t')).toBeNull();
  expect(chosen(env, 'logs', 'feature/x')).toBeNull(); // a name of a session with a slash
  expect(chosen(env, 'run', '--node', 'build2', '--', 'build1/x')).toEqual(['build2', 'build1/x']);
  expect(chosen(env, 'logs', '--node', 'build1', 'build1/x')).toEqual(['build1', 'x']);
});

test('[NODE-6] a command for sessions of two machines is refused', () => {
  const env = machine('build1', 'build2');
  for (const words of [
    ['build1/a', 'build2/b'],
    ['build1/a', 'b'],
    ['--node', 'build1', 'build2/b'],
  ])
    expect(() => chosen(env, 'stop', ...words)).toThrow('one machine');
});
