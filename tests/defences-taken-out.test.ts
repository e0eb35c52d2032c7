/**
 * Defences are taken out of a copy of the repository, and their tests fail. Each commit has its turn of three, so that the time is
 * bounded; `npm run defences` takes out all of them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { DEFENCES } from '../packages/testkit/defences/all-defences.ts';
import { judge, NOTICED } from '../packages/testkit/defences/judge.ts';
import { TreeCopy } from '../packages/testkit/defences/tree-copy.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const tree = new TreeCopy(ROOT);
afterAll(() => tree[Symbol.dispose]());

const EACH_TURN = 3;
/** A run of a system test builds the copy first. */
const TURN_MS_MAX = EACH_TURN * 300_000;

/** The defences whose turn it is: by the commit, so that a failure can be seen again. */
function inTurn(): typeof DEFENCES {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const from = Number.parseInt(commit.slice(0, 8), 16) % DEFENCES.length;
  return [...DEFENCES.slice(from), ...DEFENCES].slice(0, EACH_TURN);
}

test(
  'the defences of this turn are noticed when they are taken out',
  async () => {
    const verdicts: [attack: string, verdict: string][] = [];
    for (const defence of inTurn()) verdicts.push([defence.attack, await judge(tree, defence)]);
    expect(verdicts).toEqual(verdicts.map(([attack]) => [attack, NOTICED]));
    expect(verdicts).toHaveLength(EACH_TURN);
  },
  TURN_MS_MAX,
);

test('a test that did not finish has noticed nothing, and the defence is put back', async () => {
  const [defence] = DEFENCES;
  const limited = {
    takeOut: tree.takeOut.bind(tree),
    run: (named: Parameters<TreeCopy['run']>[0]) => tree.run(named, 1),
  };
  expect(await judge(limited, defence!)).toBe('NOT FINISHED');
  const [copy, own] = [tree.root, ROOT].map((root) => readFileSync(`${root}/${defence!.file}`, 'utf8'));
  expect(copy).toBe(own);
});
