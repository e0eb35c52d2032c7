import { ROLES, type SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { redacted, redactedEvent } from './redaction.ts';

const OPTIONS = [{ id: 'yes', label: 'Yes, and never ask again', kind: 'allow_always' }];
const status = {
  state: 'blocked',
  since: 1,
  question: { text: 'Allow Bash?', subject: 'ls', options: [] },
  requests: [{ request: 'r', type: 'permission', tool: 'Bash', digest: '1-a', bytes: 9, options: OPTIONS, offset: 5 }],
};
const session = {
  id: 'i',
  command: ['/bin/claude', '--key', 'hunter2'],
  viewers: [],
  typed: null,
  trouble: null,
  driver: { name: 'claude', options: { model: 'opus', mode: 'plan' } },
  status,
} as unknown as SessionInfo;

test.each(ROLES)(
  '[DOOR-47] a %s sees that an agent waits; what may be answered is for those who may answer',
  (role) => {
    const expected = role === 'viewer' ? [] : OPTIONS;
    const seen = [
      redacted(session, role).status,
      redactedEvent({ type: 'session-status', id: 'i', status }, role)!['status'],
      (redactedEvent({ type: 'session-started', session }, role)!['session'] as SessionInfo).status,
    ];
    for (const each of seen)
      expect(each).toEqual({ ...status, requests: [{ ...status.requests[0]!, options: expected }] });
  },
);

test('[DOOR-14] how an agent was started is not in what a viewer gets', () => {
  expect(redacted(session, 'viewer').driver).toEqual({ name: 'claude', options: undefined });
  expect(redacted(session, 'viewer').command).toEqual(['claude']);
});
