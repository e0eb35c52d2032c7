import { type Status, UNKNOWN_STATUS } from '@spool/protocol';
import { expect, test } from 'vitest';
import { leftOverUntil, mergeStatus } from './merged-status.ts';

const evidence = (source: 'screen' | 'wire', says: Status['state']): Status['evidence'] => [
  { source, says, why: 'x', rule: null, confidence: 0.9, at: 1, offset: 0 },
];
const screen = (state: Status['state'], since = 1): Status => ({
  ...UNKNOWN_STATUS,
  state,
  since,
  source: 'screen',
  evidence: evidence('screen', state),
  ...(state === 'blocked' && { question: { text: 'Proceed?', options: [] } }),
});
const request = {
  request: 'r',
  type: 'permission',
  tool: 'Bash',
  digest: '1-x',
  bytes: 1,
  options: [],
  offset: 0,
} as const;
const wire = (state: Status['state'], requests?: Status['requests']): Status => ({
  ...UNKNOWN_STATUS,
  state,
  source: 'wire',
  confidence: 1,
  evidence: evidence('wire', state),
  ...(requests && { requests, question: { text: 'Allow Bash?', options: [] } }),
});

test('[CHAN-7] a request of the channel blocks, whatever the screen shows, and both are in the evidence', () => {
  const merged = mergeStatus(screen('working'), { status: wire('blocked', [request]), answeredAt: null }, 2);
  expect(merged).toMatchObject({
    state: 'blocked',
    source: 'wire',
    requests: [request],
    question: { text: 'Allow Bash?' },
  });
  expect(merged.evidence.map(({ source }) => source)).toEqual(['wire', 'screen']);
});

test('[CHAN-7] without a request the screen decides: a dialog that the channel does not know still blocks', () => {
  for (const state of ['idle', 'working', 'blocked'] as const) {
    const merged = mergeStatus(screen(state), { status: wire('working'), answeredAt: null }, 2);
    expect([merged.state, merged.source, merged.evidence.length]).toEqual([state, 'screen', 2]);
  }
});

test('[CHAN-7] the dialog of an answered request is not asked again while it disappears, but a later one is', () => {
  const answered = { status: wire('working'), answeredAt: 1000 };
  expect(mergeStatus(screen('blocked', 500), answered, 1100)).toMatchObject({ state: 'working', source: 'wire' });
  expect(mergeStatus(screen('blocked', 500), answered, 1100).question).toBeUndefined();
  expect(mergeStatus(screen('blocked', 1001), answered, 1100)).toMatchObject({ state: 'blocked' });
  const until = leftOverUntil(screen('blocked', 500), answered, 1100)!;
  expect(mergeStatus(screen('blocked', 500), answered, until)).toMatchObject({ state: 'blocked' });
});
