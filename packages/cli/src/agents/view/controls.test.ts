import type { AgentEventItem, Decided } from '@spool/client';
import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import { ansiLine, plainText } from '@spool/render';
import { expect, test } from 'vitest';
import { ASK_GUARD_MS } from './ask-guard.ts';
import { AgentControls } from './controls.ts';
import { KeyReader } from '../../tui/key-reader.ts';
import { AgentPainter } from './picture.ts';

const OURS: Decided = { isOurs: true, outcome: null, reason: null };

class User {
  readonly done: unknown[] = [];
  now = 10_000;
  hasLeft = false;
  readonly controls: AgentControls;
  readonly #keys = new KeyReader({ hasAlt: true });
  readonly #painter = new AgentPainter();
  size = { cols: 80, rows: 24 };
  #seq = 0;
  decided: Promise<Decided> = Promise.resolve(OURS);

  constructor({ isReadOnly = false } = {}) {
    const act =
      (what: string) =>
      (...parts: unknown[]): Promise<never> => {
        const named = parts.map((part) => (part as { request?: string } | undefined)?.request ?? part);
        this.done.push([what, ...named.filter((part) => part !== undefined)]);
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
    for (const key of this.#keys.keysIn(Buffer.from(bytes))) {
      this.screen();
      this.controls.press(key);
    }
    return this;
  }

  waits(ms = ASK_GUARD_MS + 1): this {
    this.now += ms;
    return this;
  }

  at(cols: number, rows: number): this {
    this.size = { cols, rows };
    return this;
  }

  /** Draws, as the terminal does after each change. */
  screen(): string {
    const painted = this.#painter.paint(this.controls.picture(), this.size);
    this.controls.drawn(this.size.rows - 6, painted);
    return painted.lines.map((line) => ansiLine(line, 'none')).join('\n');
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
  const { lines: painted, cursor } = new AgentPainter().paint(user.controls.picture(), { cols, rows });
  const lines = painted.map(plainText);
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
    const painted = painter.paint(user.controls.picture(), { cols: 40, rows: 12 });
    user.controls.drawn(6, painted);
    return painted.lines.map((line) => ansiLine(line, 'none')).join('\n');
  };
  expect(look()).toContain('line 99');
  user.types('\x1b[5~');
  expect(look()).not.toContain('line 99');
  user.types('\x1b[5~'.repeat(50));
  expect(look()).toContain('line 0');
  expect(user.types('\x1b').done).toEqual([]);
  expect(look()).toContain('line 99');
});

/** A script of so many lines; the last one is the one that matters. */
const script = (lines: number): AgentBody =>
  ({
    ...ask('r'),
    title: 'Bash',
    input: { command: [...Array.from({ length: lines - 1 }, (_, at) => `echo ${at}`), 'rm -rf ~'].join('\n') },
  }) as AgentBody;

const SIZES = [
  [80, 24],
  [80, 12],
  [40, 12],
] as const;

test.each(SIZES)('[SHOW-10] at %d×%d the lines that do not fit are counted, and the keys are there', (cols, rows) => {
  const user = new User().at(cols, rows).sees(TURN, script(121)).waits();
  const screen = user.screen();
  // The title, the key and the 121 lines of the command.
  const shown = screen.split('\n').filter((line) => /^\? Allow|command:|^ {4}│ echo/.test(line)).length;
  expect(screen).toContain(`${123 - shown} more lines, Ctrl-O shows them`);
  expect(screen).not.toContain('rm -rf ~');
  for (const key of ['y allow once', 'a Always for rm', 'n deny', 'm deny with a message', 'e edit, then allow'])
    expect(screen).toContain(key);
});

test.each(SIZES)('[SHOW-40] at %d×%d what was not shown whole is allowed only by a second key', (cols, rows) => {
  const user = new User().at(cols, rows).sees(TURN, script(121)).waits().types('y');
  expect(user.done).toEqual([]);
  expect(user.screen().replaceAll(/\s+/g, ' ')).toMatch(/1\d\d lines were not shown\. Y all the same: allow once/);
  // A key that repeats, another allowing key and the same key are not the second key.
  expect(user.types('YYy').done).toEqual([]);
  expect(user.waits().types('Y').done).toEqual([['approve', 'r', { option: 'once' }]]);
});

test('[SHOW-40] the second key does what the first one was for, and any other key takes it back', () => {
  const user = (): User => new User().at(80, 12).sees(TURN, script(121)).waits();
  expect(user().types('a').waits().types('Y').done).toEqual([['approve', 'r', { option: 'always' }]]);
  expect(user().types('ax').waits().types('Y').done).toEqual([]);
  expect(user().types('e').waits().types('Y').controls.editor.text).toContain('rm -rf ~');
  expect(user().types('e').done).toEqual([]);
  const other = user()
    .types('y')
    .sees({ kind: 'permission.resolved', request: 'r', decision: 'cancelled', by: 'agent' });
  expect(
    other
      .sees({ ...script(130), request: 's' } as AgentBody)
      .waits()
      .types('Y').done,
  ).toEqual([]);
});

test.each(SIZES)('[SHOW-40] at %d×%d a request that was read to its end is allowed by one key', (cols, rows) => {
  for (const way of ['\x1b[6~'.repeat(60), '\x1b[B'.repeat(130)]) {
    const user = new User().at(cols, rows).sees(TURN, script(121)).waits().types('\x0f');
    expect(user.screen()).toContain('of 123 lines');
    expect(user.screen()).toContain('y allow once');
    expect(user.types(way).screen()).toContain('rm -rf ~');
    expect(user.types('y').done).toEqual([['approve', 'r', { option: 'once' }]]);
  }
});

test('[SHOW-40] a jump to the end has not shown the middle', () => {
  const user = new User().at(80, 12).sees(TURN, script(121)).waits().types('\x0f\x1b[F');
  expect(user.screen()).toContain('rm -rf ~');
  expect(user.types('y').done).toEqual([]);
  expect(user.screen()).toContain('lines were not shown');
});

test('[SHOW-40] lines that were shown in another width do not count', () => {
  const user = new User()
    .at(80, 12)
    .sees(TURN, script(121))
    .waits()
    .types(`\x0f${'\x1b[6~'.repeat(60)}`);
  user.screen();
  expect(user.at(60, 12).types('y').done).toEqual([]);
});

test('[SHOW-40] denying needs no reading', () => {
  const user = (): User => new User().at(40, 12).sees(TURN, script(121)).waits();
  expect(user().types('n').done).toEqual([['deny', 'r', { option: 'no' }]]);
  expect(user().types('\x0fn').done).toEqual([['deny', 'r', { option: 'no' }]]);
  expect(user().types('mno\r').done).toEqual([['deny', 'r', { message: 'no' }]]);
});

test('[SHOW-10] Ctrl-O opens and closes, the arrows scroll, and the request starts again at its beginning', () => {
  const user = new User().at(80, 12).sees(TURN, script(121)).waits().types('\x0f');
  expect(user.screen()).toContain('? Allow Bash?');
  expect(user.types('\x1b[B').screen()).not.toContain('? Allow Bash?');
  expect(user.types('\x1b[A').screen()).toContain('? Allow Bash?');
  expect(user.types('\x1b[F').screen()).toContain('of 123 lines');
  expect(user.types('\x1b[H').screen()).toContain('? Allow Bash?');
  expect(user.types('\x0f').screen()).toContain('more lines, Ctrl-O shows them');
  expect(user.types('\x0f\x1b').screen()).toContain('more lines, Ctrl-O shows them');
  expect(user.done).toEqual([]);
});

test('[SHOW-10] who only looks can read it whole', () => {
  const user = new User({ isReadOnly: true }).at(80, 12).sees(TURN, script(121)).types('\x0f\x1b[F');
  expect(user.screen()).toContain('rm -rf ~');
  expect(user.waits().types('y').done).toEqual([]);
});

test('[REQ-2] the label of an option does not act on the terminal', () => {
  const label = 'Yes\u001b]0;title\u0007\u001b[2J\u200b';
  const user = new User().sees(TURN, ask('r', [{ id: 'evil', label, kind: 'allow_always' }])).waits();
  expect(user.screen()).toContain('2 Yes\\e]0;title\\x07\\e[2J\\u{200b}');
  expect(user.screen()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u200b]/);
});

test('[REQ-5] an option of an unknown kind allows nothing, and two ways to allow once are chosen by their words', () => {
  const options = [
    { id: 'x', label: 'Do it', kind: 'other' },
    { id: 'one', label: 'Allow this command', kind: 'allow_once' },
    { id: 'two', label: 'Allow and remember', kind: 'allow_once' },
  ];
  const user = new User().sees(TURN, { ...ask('r'), options } as AgentBody).waits();
  expect(user.screen()).not.toContain('Do it');
  expect(user.types('ya').done).toEqual([]);
  expect(user.screen()).toContain('2 Allow this command');
  expect(user.types('3').done).toEqual([['approve', 'r', { option: 'two' }]]);
});

test('[REQ-7] a request that was too large to be kept can only be denied', () => {
  const user = new User().sees(TURN, { ...ask('r'), isCut: true, bytes: 300_000 } as AgentBody).waits();
  expect(user.screen().replaceAll(/\s+/g, ' ')).toContain('it can only be denied');
  expect(user.types('ya2eY').done).toEqual([]);
  expect(user.types('n').done).toEqual([['deny', 'r', { option: 'no' }]]);
});

test('[SHOW-10] a label that is too long for the keys is whole in the request', () => {
  const label = `Always ${'and this '.repeat(40)}end`;
  const user = new User()
    .at(40, 12)
    .sees(TURN, ask('r', [{ id: 'long', label, kind: 'allow_always' }]))
    .waits();
  expect(user.screen()).toContain('Ctrl-O: what they do');
  let shown = '';
  for (let page = 0; page < 12; page++) shown += user.types(page === 0 ? '\x0f' : '\x1b[B'.repeat(5)).screen();
  expect(shown.replaceAll(/\n *┊ /g, '').replaceAll('\n', '')).toContain('and this and this');
  expect(shown).toContain('end');
});

test('[SHOW-40] what an option changes must be seen for that option, not for allowing once', () => {
  const effect = { rules: Array.from({ length: 60 }, (_, at) => `Bash(npm ${at} *)`) };
  const options = [
    { id: 'once', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: 'Always', kind: 'allow_always', effect },
  ];
  const user = (): User =>
    new User()
      .at(80, 12)
      .sees(TURN, { ...ask('r'), options } as AgentBody)
      .waits();
  expect(user().screen()).toContain('more lines, Ctrl-O shows them');
  expect(user().types('y').done).toEqual([['approve', 'r', { option: 'once' }]]);
  expect(user().types('a').done).toEqual([]);
  expect(user().types('a').waits().types('Y').done).toEqual([['approve', 'r', { option: 'always' }]]);
});
