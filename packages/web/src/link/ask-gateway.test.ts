import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { sentenceOf } from './ask-gateway.ts';

test('an error is a sentence on the page, and does not end with the details of a program', () => {
  const ended = new SpoolError('SESSION_EXITED', { session: 'reviewer' });
  expect(sentenceOf(ended)).toMatch(/^[A-Z][^()=]*\.$/);
  expect(sentenceOf(ended)).not.toContain('reviewer');
  expect(sentenceOf(new Error('The gateway answered with 500.'))).toBe('The gateway answered with 500.');
  expect(sentenceOf('gone')).toBe('gone');
});
