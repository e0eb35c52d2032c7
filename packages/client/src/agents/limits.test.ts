import { expect, test } from 'vitest';
import { agentRun, AGENTS } from './launch.ts';

const LIMITED = ['claude'];

test.each(Object.keys(AGENTS))(
  '[DRV-14] a limit that %s does not know is refused, and never silently ignored',
  (name) => {
    for (const limit of ['budgetUsd', 'maxTurns'] as const) {
      const run = () => agentRun(name, { program: ['x'], [limit]: 3 }, () => 'id');
      if (LIMITED.includes(name)) expect(run().command.slice(-2)[1]).toBe('3');
      else expect(run).toThrow(`${name} cannot be limited by it`);
    }
  },
);
