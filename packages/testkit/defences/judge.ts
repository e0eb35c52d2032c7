/** Takes a defence out of a copy of the repository and looks whether its test notices. */
import type { Defence } from './defence.ts';
import type { TreeCopy } from './tree-copy.ts';

export const NOTICED = 'noticed';

type Tree = Pick<TreeCopy, 'run' | 'takeOut'>;

/**
 * Returns NOTICED, or why nothing is proved. Only a test that has run and failed notices anything: one that did not finish may
 * have met a slow machine.
 */
export async function judge(tree: Tree, defence: Defence): Promise<string> {
  const putBack = tree.takeOut(defence);
  try {
    const outcome = await tree.run(defence.test);
    return outcome === 'failed' ? NOTICED : outcome === 'passed' ? 'UNNOTICED' : 'NOT FINISHED';
  } finally {
    putBack();
  }
}
