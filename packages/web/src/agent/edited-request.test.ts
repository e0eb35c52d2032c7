/** Tests a request with an edited input. */
import type { RequestEvent } from '@spool/client';
import { requestText } from '@spool/render';
import { expect, test } from 'vitest';
import { editableTexts, editedRequest } from './edited-request.ts';

type Permission = Extract<RequestEvent, { readonly kind: 'permission.requested' }>;

const asked = (more: Partial<Permission> = {}): Permission =>
  ({
    kind: 'permission.requested',
    source: 'claude',
    request: 'r',
    name: 'Bash',
    input: { command: 'rm x', timeout: 5 },
    options: [],
    ...more,
  }) as Permission;

test('[CARD-16] the texts of an input can be edited, where the agent takes another input', () => {
  expect(editableTexts(asked())).toEqual({ command: 'rm x' });
  expect(editableTexts(asked({ source: 'codex' }))).toBeNull();
  expect(editableTexts(asked({ isCut: true }))).toBeNull();
  expect(editableTexts(asked({ input: ['rm', 'x'] }))).toBeNull();
});

test('[CARD-16] an edited request is shown with the new input, and without what belongs to the old one', () => {
  const diffs = [{ path: 'x', change: 'delete' }] as const;
  const edited = editedRequest(asked({ call: { command: 'rm x' }, diffs }), { command: 'rm\u200b y' });
  expect(edited.input).toEqual({ command: 'rm\u200b y', timeout: 5 });
  const text = requestText(edited, 80);
  expect(text).toContain(String.raw`rm\u{200b} y`);
  expect(text).not.toContain('rm x');
});
