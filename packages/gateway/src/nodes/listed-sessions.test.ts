import { expect, test } from 'vitest';
import { markedSession } from '../auth/guard/testing/marked-session.ts';
import { checkedSessions } from './listed-sessions.ts';

const whole = markedSession('one');

test('[NODE-7] what a node lists is left out if it is not a session', () => {
  const others = [null, 7, {}, { ...whole, cwd: null }, { ...whole, labels: null }, { ...whole, command: 'sh' }];
  const escape = { ...whole, state: '\u001b[2J' };
  expect(checkedSessions([...others, escape, whole])).toEqual([whole]);
});

test('[NODE-7] members and words of a later version are no reason to leave a session out', () => {
  const later = { ...whole, isNew: true, state: 'frozen', status: { ...whole.status, mood: 'good' } };
  expect(checkedSessions([later])).toEqual([later]);
});
