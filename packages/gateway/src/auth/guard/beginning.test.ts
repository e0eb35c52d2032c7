import { OP_ROLES, type Op } from '@spool/protocol';
import { expect, test } from 'vitest';
import { eventSince, requestSince } from './beginning.ts';
import { rewriteForRole, rewriteForScope } from './requests.ts';
import { Scope } from './scope.ts';
import { markedSession, SINCE } from './testing/marked-session.ts';

const FIRST = 500;
const scope = new Scope(
  { sessions: ['mine'], from: SINCE },
  {
    get: async (id) => markedSession(id),
    list: async () => [],
    offsetAt: async () => FIRST,
    openRequest: async () => null,
  },
);

const FROM = [undefined, 0, 499, 501, 'start', 'end', { tailBytes: 1000 }, { lineAt: 0 }];
const AT = [undefined, { offset: 0 }, { time: 0 }];

test('[DOOR-49] a link from now on: whatever is asked, no offset, line or time before its beginning is asked for', async () => {
  const refused = new Set<string>();
  for (const op of Object.keys(OP_ROLES) as Op[])
    for (const from of FROM)
      for (const at of AT) {
        const ask = { op, session: 'mine', agent: 'mine', channel: 1, historyLines: 177, time: 0, wantsSnapshot: true };
        const request = { ...ask, from, at };
        const passed = await rewriteForScope(scope, request).catch(() => null);
        if (passed === null) {
          refused.add(op);
          continue;
        }
        const isHistory = [
          'watch',
          'SUBSCRIBE_WORKER_OUTPUT',
          'attach',
          'marks',
          'screen',
          'view',
          'offsetAt',
        ].includes(op);
        if (!isHistory) continue;
        expect([op, passed['historyLines'] ?? 0]).toEqual([op, ['attach', 'screen', 'view'].includes(op) ? 0 : 177]);
        const begins = passed['from'];
        if (op !== 'screen' && op !== 'view' && op !== 'offsetAt' && begins !== undefined && begins !== 'end')
          expect([op, begins]).toEqual([op, from === 501 ? 501 : FIRST]);
        if (op === 'screen') expect(passed['at']).toBe(undefined);
        if (op === 'offsetAt') expect(passed['time']).toBe(SINCE);
      }
  expect(['explain', 'watchEvents', 'status', 'audit', 'screen'].every((op) => refused.has(op))).toBe(true);
  expect(['watch', 'attach', 'view', 'get', 'list'].some((op) => refused.has(op))).toBe(false);
});

test('[DOOR-49] an event from now on has no words of an agent from before', () => {
  const status = { state: 'working', since: SINCE + 1, why: 'a prompt was taken', said: 'PAST', usage: { costUsd: 1 } };
  const driver = { name: 'claude', state: 'running', prompt: 'PAST', firstOffset: 0, offset: 0 };
  const session = { id: 'mine', status, driver, milestone: { name: 'PAST' } };
  for (const event of [
    { type: 'session-status', session: 'mine', status },
    { type: 'session-exited', session },
  ]) {
    expect(JSON.stringify(eventSince(undefined, event))).toContain('PAST');
    const seen = JSON.stringify(eventSince(SINCE, event));
    expect(seen).not.toMatch(/PAST|costUsd/);
    expect(seen).toContain('a prompt was taken');
  }
  expect(eventSince(SINCE, { type: 'session-summary' })).toBe(null);
});

test('a token without a beginning asks for what it likes', async () => {
  const request = { op: 'screen', session: 'mine', at: { offset: 0 }, historyLines: 5 } as const;
  expect(await requestSince(new Scope({ sessions: ['mine'] }, {} as never), request)).toBe(request);
});

test('[DOOR-9] who may not type sets neither the size nor the colours nor the focus that a program sees', () => {
  const own = { size: { cols: 1, rows: 1 }, colours: { background: '#ff0000' }, isFocused: true, takeover: true };
  for (const role of ['viewer', 'prompter'] as const) {
    const attach = rewriteForRole(role, { op: 'attach', session: 'mine', creditBytes: 1, ...own });
    expect([attach['size'], attach['colours'], attach['isReadOnly'], attach['takeover']]).toEqual([
      undefined,
      undefined,
      true,
      false,
    ]);
    const view = rewriteForRole(role, { op: 'view', channel: 3, wantsSnapshot: true, historyLines: 9, ...own });
    expect(view).toEqual({ op: 'view', channel: 3, wantsSnapshot: true, historyLines: 9 });
  }
  const typist = rewriteForRole('operator', { op: 'view', channel: 3, ...own });
  expect(typist).toMatchObject(own);
});
