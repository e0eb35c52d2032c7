import type { RequestEvent } from '@spool/client';
import { expect, test } from 'vitest';
import { answerNote, screenAnswerNote } from './answer-note.ts';

const event = {
  kind: 'permission.requested',
  request: 'r1',
  name: 'mcp__shell__run',
  title: 'List the files',
  input: { description: 'List the files', script: 'rm -rf ~\nrm -rf /' },
  digest: '7-abc',
  options: [],
} as unknown as RequestEvent;
const directory = (found: RequestEvent | null): { openRequest: () => Promise<RequestEvent | null> } => ({
  openRequest: async () => found,
});

test('[DOOR-50] the audit log names the tool, the input and the digest of what was answered, not the title', async () => {
  const command = { do: 'permission', request: 'r1', digest: '7-abc', option: 'allow' };
  expect(await answerNote(directory(event), 's', command)).toBe(
    'permission, option allow, request r1, digest shown 7-abc, digest 7-abc, mcp__shell__run: script: rm -rf ~ ⏎ rm -rf / · description: List the files',
  );
  expect(await answerNote(directory(event), 's', { ...command, input: {} })).toContain('with another input');
  expect(await answerNote(directory(null), 's', command)).toMatch(/which does not wait$/);
  const failing = { openRequest: () => Promise.reject(new Error('no keeper')) };
  expect(await answerNote(failing, 's', command)).toMatch(/which does not wait$/);
  expect(await answerNote(directory(event), 's', { do: 'setMode', mode: 'x' })).toBe('setMode');
});

test('[DOOR-50] a note fits its line of the audit log, however long the request is', async () => {
  const long = 'x'.repeat(5000);
  const all = { do: long, request: long, digest: long, option: long, behavior: long };
  expect((await answerNote(directory(event), 's', all)).length).toBeLessThanOrEqual(500);
  const wordy = { ...event, name: long, input: { command: long } } as unknown as RequestEvent;
  const note = await answerNote(directory(wordy), 's', { ...all, do: 'permission' });
  expect(note.length).toBeLessThanOrEqual(500);
  expect(screenAnswerNote({ op: 'answer', option: 'yes', question: { text: 'Go on?', subject: 'ls\nrm' } })).toEqual({
    note: '“yes” to: Go on? ls ⏎ rm',
  });
  expect(screenAnswerNote({ op: 'stop' })).toEqual({});
});
