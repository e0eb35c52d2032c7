import type { AgentEventItem, Decided } from '@spool/client';
import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { ASK_GUARD_MS } from './ask-panel.ts';
import { AgentControls } from './controls.ts';
import { AgentKeys } from './keys.ts';
import { AgentPainter } from './picture.ts';

const OURS: Decided = { isOurs: true, outcome: null, reason: null };

class User {
  readonly done: unknown[] = [];
  now = 10_000;
  hasLeft = false;
  readonly controls: AgentControls;
  readonly #keys = new AgentKeys();
  #seq = 0;
  decided: Promise<Decided> = Promise.resolve(OURS);

  constructor({ isReadOnly = false } = {}) {
    const act =
      (what: string) =>
      (...parts: unknown[]): Promise<never> => {
        this.done.push([what, ...parts.filter((part) => part !== undefined)]);
        return this.decided as Promise<never>;
      };
    this.controls = new AgentControls({
      name: 'bob',
      isReadOnly,
      detachKey: 'Ctrl-\\',
      now: () => this.now,
      onChange: () => {},
      onLeave: () => (this.hasLeft = true),
      actions: {
        prompt: act('prompt'),
        slash: act('slash'),
        cancelPrompt: act('cancel'),
        interrupt: act('interrupt'),
        approve: act('approve'),
        deny: act('deny'),
        answer: act('answer'),
        wordsOf: (error) => String(error),
      },
    });
    this.controls.take({ type: 'synced', offset: 0 } as AgentEventItem);
  }

  sees(...bodies: AgentBody[]): this {
    for (const body of bodies) {
      const event = {
        seq: this.#seq++,
        at: this.now,
        session: 's',
        source: 'claude',
        evidence: 'wire',
        ...body,
      } as AgentEvent;
      this.controls.take({ type: 'event', offset: this.#seq, event });
    }
    return this;
  }

  types(bytes: string): this {
    for (const key of this.#keys.feed(Buffer.from(bytes))) this.controls.press(key);
    return this;
  }

  waits(ms = ASK_GUARD_MS + 1): this {
    this.now += ms;
    return this;
  }

  screen(cols = 80, rows = 24): string {
    return new AgentPainter().paint(this.controls.picture(), { cols, rows }, 'none').lines.join('\n');
  }
}

const ask = (request: string, options: AgentBody[] | unknown[] = []): AgentBody =>
  ({
    kind: 'permission.requested',
    request,
    name: 'Bash',
    title: 'Bash: rm -r build',
    input: { command: 'rm -r build', description: 'clean' },
    options: [
      { id: 'once', label: 'Allow once', kind: 'allow_once' },
      { id: 'always', label: 'Always for rm', kind: 'allow_always' },
      { id: 'no', label: 'No', kind: 'reject_once' },
      ...options,
    ],
  }) as AgentBody;

const TURN: AgentBody = { kind: 'turn.started', origin: 'user', prompt: [{ type: 'text', text: 'go' }] };

test('[SHOW-5] keys answer the ask: once, always, no, with a message, with another command', () => {
  const answer = (keys: string): unknown[] => new User().sees(TURN, ask('r')).waits().types(keys).done;
  expect(answer('y')).toEqual([['approve', 'r', { option: 'once' }]]);
  expect(answer('a')).toEqual([['approve', 'r', { option: 'always' }]]);
  expect(answer('n')).toEqual([['deny', 'r', { option: 'no' }]]);
  expect(answer('mnot here\r')).toEqual([['deny', 'r', { message: 'not here' }]]);
  expect(answer('e2\r')).toEqual([['approve', 'r', { input: { command: 'rm -r build2', description: 'clean' } }]]);
  expect(answer('x\r')).toEqual([]);
});

test('[SHOW-5] what is being typed when an ask comes stays text, and answers nothing', () => {
  const user = new User().sees(TURN).types('ye').sees(ask('r')).types('s').waits().types('y');
  expect(user.done).toEqual([]);
  expect(user.controls.editor.text).toBe('yesy');
  user.types('\x15\ty');
  expect(user.done).toEqual([['approve', 'r', { option: 'once' }]]);
});

test('[SHOW-5] an ask that has just come takes no key, and neither does the next one', () => {
  const user = new User().sees(TURN, ask('r')).types('y');
  expect(user.done).toEqual([]);
  expect(user.controls.editor.text).toBe('y');
  const quick = new User().sees(TURN, ask('r'), ask('s')).waits().types('y');
  quick.sees({ kind: 'permission.resolved', request: 'r', decision: 'allow', by: 'watcher' }).types('y');
  expect(quick.done).toEqual([['approve', 'r', { option: 'once' }]]);
});

test('[SHOW-5] a paste never answers', () => {
  const user = new User().sees(TURN, ask('r')).waits().types('\x1b[200~y\x1b[201~');
  expect(user.done).toEqual([]);
  expect(user.controls.editor.text).toBe('y');
});

test('[SHOW-5] an ask that somebody else answers while a message is written: the message goes nowhere', () => {
  const user = new User().sees(TURN, ask('r')).waits().types('mnot th');
  user.sees({ kind: 'permission.resolved', request: 'r', decision: 'allow', by: 'watcher', who: 'kim' }).types('is\r');
  expect(user.done).toEqual([['prompt', 'is']]);
  expect(user.types('\x1b[A\x1b[A').controls.editor.text).toBe('not th');
});

test('[SHOW-5] who was late learns who was first', async () => {
  const user = new User().sees(TURN, ask('r')).waits();
  const outcome = { kind: 'permission.resolved', request: 'r', decision: 'deny', who: 'kim' } as never;
  user.decided = Promise.resolve({ isOurs: false, outcome, reason: 'late' });
  user.types('y');
  await user.decided;
  expect(user.screen()).toContain('it was already decided by kim: deny');
});

test('a question: an option by its number, or words', () => {
  const question: AgentBody = {
    kind: 'question.asked',
    request: 'q',
    questions: [
      {
        id: 'colour',
        text: 'Which colour?',
        options: [
          { id: '1', label: 'Red' },
          { id: '2', label: 'Blue' },
        ],
      },
    ],
  };
  expect(new User().sees(TURN, question).waits().types('2').done).toEqual([['answer', 'q', { colour: 'Blue' }]]);
  expect(new User().sees(TURN, question).waits().types('wgreen\r').done).toEqual([
    ['answer', 'q', { colour: 'green' }],
  ]);
});

test('[SHOW-6] Enter sends; a backslash before it, Alt-Enter and Ctrl-J make another line', () => {
  const user = new User().types('one\\\rtwo\x1b\rthree\nfour\r');
  expect(user.done).toEqual([['prompt', 'one\ntwo\nthree\nfour']]);
  expect(user.types('\r \r').done).toHaveLength(1);
});

test('[SHOW-6] slash commands that the agent knows are commands, others are prompts', () => {
  const user = new User().sees({ kind: 'session.started', commands: ['compact'] });
  user.types('/compact now\r/nothing\r');
  expect(user.done).toEqual([
    ['slash', 'compact', 'now'],
    ['prompt', '/nothing'],
  ]);
});

test('Esc and Ctrl-C interrupt only what runs; Ctrl-C first clears a text, Ctrl-D leaves', () => {
  const user = new User().types('\x1b\x03');
  expect(user.done).toEqual([]);
  expect(user.screen()).toContain('Ctrl-\\ detaches and leaves it running');
  user.sees(TURN).types('text\x03');
  expect(user.done).toEqual([]);
  user.types('\x03');
  expect(user.done).toEqual([['interrupt']]);
  expect(user.types('\x04').hasLeft).toBe(true);
});

test('the queue is shown, and the last prompt of it can be taken back', async () => {
  const prompts = [{ clientId: 'c1', content: [{ type: 'text', text: 'later' }] }] as const;
  const user = new User().sees(TURN, { kind: 'queue', prompts });
  expect(user.screen()).toContain('… later');
  user.types('\x1b[1;3A');
  await user.decided;
  expect(user.done).toEqual([['cancel', 'c1']]);
  expect(user.controls.editor.text).toBe('later');
});

test('who only looks has no line to write in, and answers nothing', () => {
  const user = new User({ isReadOnly: true }).sees(TURN, ask('r')).waits().types('yhello\r\x1b');
  expect(user.done).toEqual([]);
  expect(user.screen()).toContain('waits for an answer');
  expect(user.screen()).not.toContain('allow once');
  expect(user.types('\x03').hasLeft).toBe(true);
});

test.each([
  [80, 24],
  [40, 15],
  [200, 50],
  [20, 5],
  [8, 3],
  [1, 1],
])('at %d×%d the keys of an ask are there where there is room, and no line is too wide', (cols, rows) => {
  const text = Array.from({ length: 100 }, (_, at) => `line ${at} ${'word '.repeat(20)}`).join('\n\n');
  const user = new User().sees(TURN, { kind: 'message.done', message: 'm', part: 0, text }, ask('r')).types('');
  const { lines, cursor } = new AgentPainter().paint(user.controls.picture(), { cols, rows }, 'none');
  expect(lines.length).toBeLessThanOrEqual(rows);
  if (cols >= 20) for (const line of lines) expect(line.length).toBeLessThan(cols);
  if (rows >= 15) expect(lines.join(' ')).toContain('y allow once');
  expect(cursor?.row ?? 0).toBeLessThan(Math.max(rows, 2));
});

test('scrolling stays where the text is, and Esc returns to its end', () => {
  const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
  const user = new User().sees({ kind: 'message.done', message: 'm', part: 0, text });
  const painter = new AgentPainter();
  const look = (): string => {
    const { lines, scrolled } = painter.paint(user.controls.picture(), { cols: 40, rows: 12 }, 'none');
    user.controls.drawn(6, scrolled);
    return lines.join('\n');
  };
  expect(look()).toContain('line 99');
  user.types('\x1b[5~');
  expect(look()).not.toContain('line 99');
  user.types('\x1b[5~'.repeat(50));
  expect(look()).toContain('line 0');
  expect(user.types('\x1b').done).toEqual([]);
  expect(look()).toContain('line 99');
});
