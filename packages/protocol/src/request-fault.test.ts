import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Op } from './messages.ts';
import { requestFault } from './request-fault.ts';
import { REQUEST_SCHEMAS } from './schemas/requests.ts';

const RUN = { id: 'abcdefgh', command: ['true'], cwd: '/', env: {} };

test.each<[op: Op, ask: object, sentence: string]>([
  ['get', {}, 'session is missing; it must be text'],
  ['get', { session: 7 }, 'session must be text'],
  ['run', { ...RUN, name: '' }, 'name must have 1 to 100 characters'],
  ['run', { ...RUN, name: 'a\nb' }, 'name must have no control characters'],
  ['run', { ...RUN, cwd: 'here' }, 'cwd must be an absolute path'],
  ['run', { ...RUN, command: [] }, 'command must have at least 1 item'],
  ['run', { ...RUN, command: ['a', 1] }, 'command[1] must be text'],
  ['run', { ...RUN, command: ['a\0'] }, 'command[0] must not contain a NUL byte'],
  ['run', { ...RUN, env: { 'A=B': 'x' } }, 'env."A=B" must be the name of a variable'],
  ['run', { ...RUN, size: { cols: 0, rows: 5 } }, 'size.cols must be at least 1'],
  ['run', { ...RUN, size: { cols: 1.5, rows: 5 } }, 'size.cols must be a whole number'],
  ['run', { ...RUN, sizePolicy: 'best' }, 'sizePolicy must be latest, smallest, largest or fixed'],
  ['run', { ...RUN, isTask: 'yes' }, 'isTask must be true or false'],
  ['run', { ...RUN, colour: 'red' }, 'colour is not a known field'],
  ['watch', { session: 'a', from: 'middle', creditBytes: 1 }, 'from must be a number, start or end or an object'],
  ['screen', { session: 'a', format: 'text', at: { offset: 'x' } }, 'at has a wrong field: offset must be a number'],
  ['signal', { session: 'a', signal: '9' }, 'signal must be the name of a signal, such as SIGTERM'],
  ['type', { session: 'a', key: 'k', base64: '%' }, 'base64 must be base64'],
])('[SAY-6] %s %j: %s', (op, ask, sentence) => {
  const { error } = REQUEST_SCHEMAS[op].safeParse(ask);
  expect(requestFault(error!.issues).sentence).toBe(sentence);
});

test('[SAY-6] whatever is sent, the sentence names a field and uses no words of the validator', () => {
  const ops = Object.keys(REQUEST_SCHEMAS) as Op[];
  const keys = fc.constantFrom('session', 'id', 'command', 'env', 'size', 'from', 'at', 'until', 'labels', 'x');
  // Without `<` and `>`: a sentence may quote a value, and a quoted `<=` is not a word of the validator.
  const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json).replaceAll(/[<>]/g, '')));
  const ask = fc.dictionary(keys, value);
  fc.assert(
    fc.property(fc.constantFrom(...ops), ask, (op, asked) => {
      const parsed = REQUEST_SCHEMAS[op].safeParse(asked);
      if (parsed.success) return;
      const { field, sentence } = requestFault(parsed.error.issues);
      expect(sentence).toMatch(/ (must|is missing|is not a known field|has a wrong field)/);
      expect(sentence.startsWith(field)).toBe(true);
      expect(sentence).not.toMatch(/Invalid|expected|received|Unrecognized|Too (big|small)|undefined|>=|<=/);
    }),
    { numRuns: 2000 },
  );
});
