import type { RequestEvent } from '@spool/client';
import { requestText } from '@spool/render';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActionLinks } from './action-links.ts';
import { askOf, requestOf } from './asks.ts';
import { ntfyMessage, pushText, webhookMessage, type WholeNotice } from './messages.ts';
import { PUSH_TEXT_BYTES_MAX } from './push-message.ts';
import { requestActions } from './request-notice.ts';

type Permission = Extract<RequestEvent, { readonly kind: 'permission.requested' }>;
type Options = Permission['options'];

const OPTIONS: Options = [
  { id: 'always', label: 'Always allow', kind: 'allow_always' },
  { id: 'odd', label: 'Allow (trust me)', kind: 'other' },
  { id: 'once', label: 'Allow once', kind: 'allow_once' },
  { id: 'mode', label: 'Allow', kind: 'allow_once', effect: { mode: 'bypassPermissions' } },
  { id: 'never', label: 'Never', kind: 'reject_always' },
  { id: 'no', label: 'No', kind: 'reject_once' },
];

function permission(input: unknown, more: Partial<Permission> = {}): Permission {
  const named = { kind: 'permission.requested', request: 'r', name: 'Bash', digest: '1-ab', options: OPTIONS } as const;
  return { ...named, title: 'List the files', input, ...more } as Permission;
}

function noticeOf(event: RequestEvent | null): WholeNotice {
  const options = event?.kind === 'permission.requested' ? event.options : [];
  const request = {
    request: 'r',
    type: 'permission',
    tool: 'Bash',
    digest: '1-ab',
    bytes: 1,
    options,
    offset: 0,
  } as const;
  const question = { text: 'Allow Bash?', subject: 'ls', options: [{ key: null, label: 'Always allow' }] };
  const about = {
    at: 1,
    about: 'blocked',
    session: 'abc',
    name: 'n',
    labels: {},
    title: 't',
    body: 'fallback',
  } as const;
  return { n: 1, ...about, question, since: 5, request, event };
}

const place = { url: 'http://x/', links: new ActionLinks() };
interface SentNotice {
  readonly body: string;
  readonly actions: readonly { readonly id: string; readonly label: string }[];
  readonly ask: string;
}
const pushed = (event: RequestEvent | null): SentNotice =>
  JSON.parse(pushText(noticeOf(event), true).toString()) as SentNotice;
const hooked = (event: RequestEvent | null): SentNotice => webhookMessage(noticeOf(event), place, true) as SentNotice;
function ntfied(event: RequestEvent | null): SentNotice {
  const { message, actions } = ntfyMessage(noticeOf(event), 'topic', place, true) as {
    message: string;
    actions: { label: string; body: string }[];
  };
  return {
    body: message,
    ask: '',
    actions: actions.map(({ label, body }) => ({ label, id: (JSON.parse(body) as { action: string }).action })),
  };
}

test('[NOTE-5] [NOTE-7] a short request is in the text whole, and is allowed once or denied from there, by the ids of its options', () => {
  const event = permission({ command: 'rm -rf ~', description: 'List the files' });
  for (const send of [pushed, ntfied, hooked]) {
    const { body, actions } = send(event);
    expect(body).toBe(requestText(event, Infinity));
    expect(body).toContain('rm -rf ~');
    expect(actions.map(({ id, label }) => [id, label])).toEqual([
      ['option:once', 'Allow once'],
      ['option:no', 'No'],
    ]);
  }
  expect(pushed(event).ask).toBe('abc-1-ab');
});

test('[NOTE-5] [NOTE-6] what is not whole in the text cannot be allowed from there, and the text says how much is missing', () => {
  const script = Array.from({ length: 121 }, (_, at) => `step ${at} of many in a long script`).join('\n');
  const event = permission({ command: script });
  const whole = requestText(event, Infinity);
  for (const send of [pushed, ntfied]) {
    const { body, actions } = send(event);
    const [, lines, characters] = /… not shown: (\d+) lines?, (\d+) characters\. Open the session/.exec(body)!;
    const shown = body.slice(0, body.indexOf('… not shown'));
    expect(whole.startsWith(shown)).toBe(true);
    expect([Number(characters), Number(lines)]).toEqual([
      whole.length - shown.length,
      whole.split('\n').length - (shown.split('\n').length - 1),
    ]);
    expect(actions.map(({ id }) => id)).toEqual(['option:no']);
  }
  expect(hooked(event).body).toBe(whole);
});

test('[NOTE-6] a text that a phone would fold is not allowed from its notification', () => {
  const seven = permission({ command: 'a\nb\nc\nd\ne\nf' });
  expect(pushed(seven).actions.map(({ id }) => id)).toEqual(['option:no']);
  expect(ntfied(seven).actions.map(({ id }) => id)).toEqual(['option:once', 'option:no']);
});

test('[NOTE-6] a request that was cut, or whose record is lost, cannot be allowed from afar', () => {
  expect(pushed(permission({ command: 'ls' }, { isCut: true })).actions.map(({ id }) => id)).toEqual(['option:no']);
  for (const options of [OPTIONS, []])
    expect(requestActions(permission({}, { isCut: true, options })).some(({ isAllowing }) => isAllowing)).toBe(false);
  for (const send of [pushed, ntfied, hooked]) expect(send(null)).toMatchObject({ body: 'fallback', actions: [] });
});

test('[NOTE-5] an input whose members are no plain values is shown like any other', () => {
  expect(pushed(permission({ x: { toString: null, valueOf: 1 } })).body).toContain('toString: null');
});

test('[NOTE-6] options for more than this request, of unknown meaning or with an effect are not offered', () => {
  expect(requestActions(permission({})).map(({ option }) => option)).toEqual(['once', 'no']);
  const unknown = permission(
    {},
    { options: OPTIONS.filter(({ kind }) => kind === 'other' || kind === 'allow_always') },
  );
  expect(requestActions(unknown)).toEqual([{ id: 'deny', label: 'Deny', isAllowing: false }]);
  expect(requestActions(permission({}, { options: [] })).map(({ id }) => id)).toEqual(['allow', 'deny']);
});

test('[NOTE-3] a request is named by its digest, whatever its words are', () => {
  const { request } = noticeOf(null);
  expect(askOf('abc', { request, since: 1 })).toBe('abc-1-ab');
  const others = [{ ...request!, digest: '2-ab', request: 'r' }, request!];
  expect(requestOf('abc-1-ab', others)).toBe(request);
  expect([requestOf('abc-3-ab', others), requestOf('abc-1-a', others), requestOf('abc', others)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('[NOTE-5] a push message fits, however much JSON adds to its text', () => {
  const event = permission({ command: '"\\'.repeat(2000) });
  expect(pushText({ ...noticeOf(event), title: '"'.repeat(200) }, true).length).toBeLessThanOrEqual(
    PUSH_TEXT_BYTES_MAX,
  );
  expect(pushed(event).body).toContain('… not shown: ');
});

test('[NOTE-5] for any input, a notification has all of it or says exactly how much it lacks, and fits its channel', () => {
  const lines = fc.array(fc.string({ unit: 'binary', maxLength: 100 }), { maxLength: 20 }).map((all) => all.join('\n'));
  const input = fc.dictionary(fc.string({ maxLength: 20 }), fc.oneof(lines, fc.jsonValue()), { maxKeys: 6 });
  fc.assert(
    fc.property(input, (value) => {
      const event = permission(value);
      const whole = requestText(event, Infinity);
      for (const [send, bytesMax] of [
        [pushed, 1500],
        [ntfied, 3000],
      ] as const) {
        const { body, actions } = send(event);
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytesMax);
        const at = body.lastIndexOf('… not shown: ');
        if (body === whole) continue;
        expect(whole.startsWith(body.slice(0, at))).toBe(true);
        expect(body.slice(at)).toContain(` ${whole.length - at} characters.`);
        expect(actions.some(({ id }) => id === 'option:once')).toBe(false);
      }
      expect(pushText(noticeOf(event), true).length).toBeLessThanOrEqual(PUSH_TEXT_BYTES_MAX);
      expect(hooked(event).body).toBe(whole);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
