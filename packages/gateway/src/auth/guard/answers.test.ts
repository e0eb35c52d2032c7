import {
  decodeJson,
  encodeJson,
  type Frame,
  FrameReader,
  FrameType,
  type Op,
  OP_ROLES,
  type Role,
  type TokenScope,
} from '@spool/protocol';
import { expect, test } from 'vitest';
import { Answers, eventFor } from './answers.ts';
import { Scope } from './scope.ts';
import { markedSession, SINCE } from './testing/marked-session.ts';

function answers(role: Role, scope: TokenScope): Answers {
  return new Answers(role, new Scope(scope, {} as never), () => {});
}

function frameOf(bytes: Uint8Array): Frame {
  const frames: Frame[] = [];
  new FrameReader().push(bytes, (frame) => frames.push({ ...frame, payload: new Uint8Array(frame.payload) }));
  return frames[0]!;
}

function told(to: Answers, type: FrameType, json: unknown): string {
  const passed = to.filter(frameOf(encodeJson(type, 7, json)));
  return passed.map((bytes) => JSON.stringify(decodeJson(frameOf(bytes).payload))).join('\n');
}

const mine = markedSession('mine');
/** An object with every field that any answer has. */
const EVERYTHING = {
  ...mine,
  session: mine,
  sessions: [mine, markedSession('other')],
  matching: 4711,
  next: null,
  history: [
    { type: 'typed', at: 1, offset: 1, who: 'SECRET' },
    { type: 'command', at: 1, offset: 1, command: 'ls', exitCode: 0, durationMs: 1 },
  ],
};

/** The requests whose answers contain sessions. */
const WITH_SESSIONS = (Object.keys(OP_ROLES) as Op[]).filter((op) =>
  ['run', 'get', 'update', 'resize', 'stop', 'kill', 'signal', 'remove', 'wait', 'prompt', 'answer', 'list'].includes(
    op,
  ),
);

const answerOf = (op: Op): object => {
  if (op === 'list') return { sessions: EVERYTHING.sessions, matching: 4711, next: null };
  if (['wait', 'prompt', 'answer'].includes(op)) return { reason: 'exit', offset: 1, session: mine };
  return mine;
};

test.each(['viewer', 'prompter'] as const)(
  '[DOOR-14] no answer tells a %s how a session was started, where, by whom, or who looks and types',
  (role) => {
    for (const op of WITH_SESSIONS) {
      const to = answers(role, { sessions: ['mine'] });
      to.expect(7, { op });
      const text = told(to, FrameType.reply, answerOf(op));
      expect([op, text.includes('"id":"mine"'), /SECRET|47114711/.exec(text)]).toEqual([op, true, null]);
    }
    const to = answers(role, {});
    to.expect(7, { op: 'explain' });
    const text = told(to, FrameType.reply, { id: 'mine', status: {}, history: EVERYTHING.history });
    expect([text.includes('SECRET'), text.includes('"type":"typed"')]).toEqual([false, true]);
  },
);

test('[DOOR-15] a limited token learns neither other sessions nor how many there are', () => {
  for (const role of ['viewer', 'operator'] as const) {
    const to = answers(role, { sessions: ['mine'] });
    to.expect(7, { op: 'list' });
    const text = told(to, FrameType.reply, answerOf('list'));
    expect([text.includes('"id":"mine"'), text.includes('other'), text.includes('matching')]).toEqual([
      true,
      false,
      false,
    ]);
  }
  const all = answers('viewer', {});
  all.expect(7, { op: 'list' });
  expect(told(all, FrameType.reply, answerOf('list'))).toContain('"matching":4711');
});

test('[DOOR-15] a notice of another session reaches no guest of a share link', () => {
  const notice = (session: string): object => ({ type: 'notice', session, name: session, title: 't', body: 'b' });
  const to = answers('viewer', { sessions: ['mine'] });
  expect(told(to, FrameType.event, notice('other'))).toBe('');
  expect(told(to, FrameType.event, notice('mine'))).toContain('"session":"mine"');
});

test('[DOOR-49] no answer and no event tells a link from now on what was said or reached before', () => {
  for (const role of ['viewer', 'operator'] as const) {
    for (const op of WITH_SESSIONS) {
      const to = answers(role, { sessions: ['mine'], from: SINCE });
      to.expect(7, { op });
      const text = told(to, FrameType.reply, answerOf(op));
      expect([op, text.includes('"id":"mine"'), text.includes('PAST')]).toEqual([op, true, false]);
    }
    const to = answers(role, { sessions: ['mine'], from: SINCE });
    for (const event of [
      { type: 'session-exited', at: 2000, session: mine },
      { type: 'session-summary', at: 2000, id: 'mine', summary: { lastLines: ['PAST'], milestones: [] } },
    ])
      expect(told(to, FrameType.event, event)).not.toContain('PAST');
  }
});

test('[DOOR-14] an event of a version that is not known here, a folder and a command line are not passed on', () => {
  for (const event of [
    { type: 'session-invented', id: 'mine', secret: 'SECRET' },
    { type: 'session-osc', id: 'mine', fact: { type: 'cwd-changed', path: '/SECRET' } },
    { type: 'session-osc', id: 'mine', fact: { type: 'command-text', command: 'SECRET' } },
  ]) {
    expect([event.type, eventFor('viewer', undefined, event)]).toEqual([event.type, null]);
    expect(eventFor('operator', undefined, event)).toBe(event);
  }
  const title = { type: 'session-osc', id: 'mine', fact: { type: 'title-changed', title: 'vim' } };
  expect(eventFor('viewer', undefined, title)).toEqual(title);
});
