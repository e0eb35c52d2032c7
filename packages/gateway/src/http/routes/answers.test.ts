import { expect, test } from 'vitest';
import { markedSession } from '../../auth/guard/testing/marked-session.ts';
import { session } from './answers.ts';

test('[API-1, RUN-26] a session with every field is described, with what its end has left running', () => {
  const whole = markedSession('one');
  expect(session.parse(whole)).toEqual(whole);
});
