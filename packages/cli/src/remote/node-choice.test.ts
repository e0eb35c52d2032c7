import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { doorsFolder, homeFrom, type NodeSessions, nodesFile, type SessionInfo } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { parseArguments, type Verb } from '../command-line/arguments.ts';
import { VERBS, type VerbName } from '../command-line/verb-table.ts';
import { nodeWith } from './bare-names.ts';
import { type FindNodes, machineParts, runParts } from './node-choice.ts';

function machine(...names: string[]): Record<string, string> {
  const folder = mkdtempSync(`${tmpdir()}/spool-nodes-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { SPOOL_HOME: folder };
  const home = homeFrom(env, 0);
  mkdirSync(doorsFolder(home), { recursive: true });
  writeFileSync(nodesFile(home), JSON.stringify(names.map((name) => ({ name }))));
  return env;
}

const HERE: FindNodes = async (references) => references.map(() => null);

async function parts(
  env: Record<string, string>,
  find: FindNodes,
  name: VerbName,
  ...words: string[]
): Promise<readonly (readonly (string | null)[])[]> {
  const verb: Verb = VERBS[name];
  const found = await machineParts(name, verb, parseArguments(name, verb, words), find, env);
  return found.map(({ host, args }) => [host?.node ?? null, ...args.operands]);
}

test('[NODE-6] NODE/ID names a session of a known node, wherever a verb takes an ID', async () => {
  const env = machine('build1', 'build2');
  const chosen = async (name: VerbName, ...words: string[]): Promise<unknown> => await parts(env, HERE, name, ...words);
  expect(await chosen('attach', 'build1/api')).toEqual([['build1', 'api']]);
  expect(await chosen('stop', 'build1/a', 'build1/b/c')).toEqual([['build1', 'a', 'b/c']]);
  expect(await chosen('send', 'build1/a', 'build2/is/text')).toEqual([['build1', 'a', 'build2/is/text']]);
  expect(await chosen('send', 'a', 'build2/is/text')).toEqual([]);
  expect(await chosen('send', '--latest', 'build2/is/text')).toEqual([]);
  expect(await chosen('task', 'wait', 'build1/t')).toEqual([['build1', 'wait', 't']]);
  expect(await chosen('task', 'run', 'build1/t')).toEqual([]);
  expect(await chosen('logs', 'feature/x')).toEqual([]); // a name of a session with a slash
  expect(await chosen('run', '--node', 'build2', '--', 'build1/x')).toEqual([['build2', 'build1/x']]);
  expect(await chosen('logs', '--node', 'build1', 'build1/x')).toEqual([['build1', 'x']]);
});

test('[NODE-6] a command for sessions of several machines is done on each, or refused', async () => {
  const env = machine('build1', 'build2');
  expect(await parts(env, HERE, 'stop', 'build1/a', 'b', 'build2/c', 'build1/d')).toEqual([
    ['build1', 'a', 'd'],
    [null, 'b'],
    ['build2', 'c'],
  ]);
  await expect(parts(env, HERE, 'logs', 'build1/a', 'build2/b')).rejects.toThrow('one machine');
  await expect(parts(env, HERE, 'stop', '--node', 'build1', 'build2/b')).rejects.toThrow('one machine');
  const verb: Verb = VERBS.stop;
  const several = await machineParts('stop', verb, parseArguments('stop', verb, ['build1/a', 'b']), HERE, env);
  expect(await runParts('stop', several, async ({ host }) => (host === null ? 3 : 0))).toBe(3);
});

test('[NODE-40] a name without a node is looked up on the nodes only if this machine has no such session', async () => {
  const env = machine('build1');
  const asked: string[] = [];
  const find: FindNodes = async (references) => {
    asked.push(...references);
    return references.map((each) => (each === 'api' ? 'build1' : null));
  };
  expect(await parts(env, find, 'attach', 'api')).toEqual([['build1', 'api']]);
  expect(await parts(env, find, 'attach', 'here')).toEqual([]);
  expect(asked).toEqual(['api', 'here']);
  expect(await parts(machine(), find, 'attach', 'api')).toEqual([]); // no nodes, so nothing is asked
  expect(asked).toHaveLength(2);
});

test('[NODE-40] a name that several nodes know is ambiguous, and the error lists the candidates with their node', () => {
  const on = (node: string, ...sessions: [id: string, name: string, state?: string][]): NodeSessions => ({
    node,
    state: 'online',
    since: 0,
    ended: 0,
    sessions: sessions.map(([id, name, state = 'running']) => ({ id, name, state }) as SessionInfo),
  });
  const nodes = [on('a', ['aaaa1', 'api'], ['bbbb1', 'old', 'exited']), on('b', ['aaaa2', 'api'], ['cccc1', 'old'])];
  expect(() => nodeWith(nodes, 'api')).toThrow(expect.objectContaining({ code: 'SESSION_AMBIGUOUS' }));
  try {
    nodeWith(nodes, 'api');
  } catch (error) {
    expect((error as { details: unknown }).details).toEqual({ session: 'api', candidates: 'a/aaaa1, b/aaaa2' });
  }
  expect(() => nodeWith(nodes, 'aaaa')).toThrow(expect.objectContaining({ code: 'SESSION_AMBIGUOUS' }));
  expect(nodeWith(nodes, 'old')).toBe('b'); // a running session counts before an ended one
  expect(nodeWith(nodes, 'bbbb')).toBe('a');
  expect(nodeWith(nodes, 'cc')).toBeNull();
  expect(nodeWith(nodes, 'nothing')).toBeNull();
});
