import { SESSION } from '@spool/protocol/schemas/session';
import { expect, test } from 'vitest';
import { markedSession } from '../../auth/guard/testing/marked-session.ts';

test('[API-1, RUN-26] a session with every field is described, with what its end has left running', () => {
  const whole = markedSession('one');
  expect(SESSION.parse(whole)).toEqual(whole);
});
