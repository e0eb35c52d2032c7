import { type SessionInfo, UNKNOWN_STATUS } from '@spool/protocol';
import { expect, test } from 'vitest';
import { conditionOf } from './condition.ts';

const withStatus = (status: Partial<SessionInfo['status']>): Pick<SessionInfo, 'state' | 'status'> => ({
  state: 'running',
  status: { ...UNKNOWN_STATUS, why: '', ...status },
});

test('[PAGE-60] an agent whose last turn has failed does not read as idle', () => {
  expect(conditionOf(withStatus({ state: 'idle', kind: 'error' }))).toBe('erred');
  expect(conditionOf(withStatus({ state: 'idle', kind: 'prompt' }))).toBe('idle');
  expect(conditionOf(withStatus({ state: 'working', kind: 'error' }))).toBe('working');
});
