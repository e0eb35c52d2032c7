import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { say } from '@spool/protocol/visible-text';
import { ansiLine } from '../ansi.ts';
import { plainText } from '../lines.ts';
import { REQUEST_LINES_MAX } from '../view/ask-lines.ts';
import { DocumentView } from '../view/document.ts';
import { TranscriptPrinter } from '../view/printer.ts';
import { unwrapFault } from './fault-text.ts';
import { KeptText } from './kept-text.ts';
import { Transcript } from './transcript.ts';

const eventsOf = (bodies: readonly AgentBody[]): AgentEvent[] =>
  bodies.map(
    (body, seq) => ({ seq, at: 1000 + seq, session: 's', source: 'claude', evidence: 'wire', ...body }) as AgentEvent,
  );

function documentOf(bodies: readonly AgentBody[], options = { width: 60, isFull: false }): string[] {
  const transcript = new Transcript();
  for (const event of eventsOf(bodies)) transcript.take(event);
  return new DocumentView(options).all(transcript).map((line) => ansiLine(line, 'none'));
}

function printedOf(bodies: readonly AgentBody[], options = { width: 60, isFull: false }): string[] {
  const printer = new TranscriptPrinter(options);
  const lines = eventsOf(bodies).flatMap((event) => [...printer.take(event)]);
  return [...lines, ...printer.rest()].map((line) => ansiLine(line, 'none'));
}

const ASK: AgentBody = {
  kind: 'permission.requested',
  request: 'r',
  tool: 'x',
  name: 'Bash',
  title: 'Bash: npm test',
  input: { command: 'npm test' },
  options: [{ id: 'once', label: 'Allow once', kind: 'allow_once' }],
};

const TURN: readonly AgentBody[] = [
  { kind: 'turn.started', origin: 'user', prompt: [{ type: 'text', text: 'fix it' }] },
  { kind: 'thinking.done', message: 'm', part: 0, text: 'hm' },
  { kind: 'message.delta', message: 'm', part: 1, text: 'I *ru' },
  { kind: 'message.delta', message: 'm', part: 1, text: 'n* it.' },
  { kind: 'message.done', message: 'm', part: 1, text: 'I *run* it.' },
  { kind: 'tool.started', tool: 'x', name: 'Bash', toolKind: 'execute' },
  { kind: 'tool.input', tool: 'x', partialJson: '{"comma' },
  { kind: 'tool.input', tool: 'x', input: { command: 'npm test' }, title: 'Bash: npm test' },
  ASK,
  { kind: 'permission.resolved', request: 'r', tool: 'x', decision: 'allow', by: 'watcher', who: 'kim' },
  { kind: 'tool.output', tool: 'x', mode: 'append', stream: 'stdout', text: '\u001b[32mok\u001b[m 1\n' },
  { kind: 'tool.ended', tool: 'x', status: 'ok', exitCode: 0 },
  { kind: 'turn.ended', outcome: 'completed', durationMs: 1500, usage: { input: 1200, output: 5 }, costUsd: 0.02 },
];

test('[INST-20] an agent that fails says why, with what it printed beside its protocol', () => {
  const printed = (text: string): AgentBody => ({ kind: 'notice', level: 'info', code: 'stderr', text });
  const ended = (exitCode: number): AgentBody => ({ kind: 'session.ended', exitCode, signal: null });
  const trace = 'at run (/opt/agent.js:1:2)';
  expect(documentOf([printed('no key'), printed('please log in'), printed(trace), ended(1)])).toEqual([
    '! the agent ended with exit code 1: no key ⏎ please log in',
  ]);
  expect(printedOf([printed('no key'), ended(1)])).toEqual(['! the agent ended with exit code 1: no key']);
  const plain: AgentBody = { kind: 'raw', type: 'text', value: 'Please log in' };
  expect(documentOf([plain, ended(2)])).toEqual(['! the agent ended with exit code 2: Please log in']);
  expect(documentOf([ended(1)])).toEqual(['! the agent ended with exit code 1']);
  // Nothing failed, a signal ended it, or the turn has said it.
  for (const end of [ended(0), ended(143)]) expect(documentOf([printed('a warning'), end])).toEqual([]);
  const fault: AgentBody = { kind: 'fault', error: { code: 'unknown', message: 'HTTP 400' }, fatal: true };
  expect(documentOf([fault, printed('{ HTTP 400 }'), ended(1)])).toEqual(['! HTTP 400']);
  expect(documentOf([printed('old'), ...TURN, ended(1)])).toEqual(documentOf(TURN));
});

test('a turn as a document: the prompt, the thought, the text, the tool with who allowed it, the cost', () => {
  expect(documentOf(TURN)).toEqual([
    '> fix it',
    '',
    '· hm',
    '',
    'I run it.',
    '',
    '● Bash npm test  allowed by kim',
    '  ok 1',
    '─ 1.5s · 1.2k in, 5 out · $0.02',
  ]);
});

test('a turn as it is printed while it happens', () => {
  expect(printedOf(TURN)).toEqual([
    '> fix it',
    '',
    '· hm',
    '',
    'I run it.',
    '',
    '● Bash npm test',
    '? Allow Bash?',
    '  command: npm test',
    '✓ allowed by kim · Bash npm test',
    '  ok 1',
    '─ 1.5s · 1.2k in, 5 out · $0.02',
  ]);
});

test('a tool whose end comes after something else says again which it was', () => {
  const bodies: AgentBody[] = [
    { kind: 'tool.started', tool: 'a', name: 'Bash', toolKind: 'execute', title: 'one' },
    { kind: 'tool.started', tool: 'b', name: 'Bash', toolKind: 'execute', title: 'two' },
    { kind: 'tool.ended', tool: 'a', status: 'ok', output: [{ type: 'text', text: 'of one' }] },
    { kind: 'tool.ended', tool: 'b', status: 'error', exitCode: 2, output: [] },
  ];
  expect(printedOf(bodies)).toEqual([
    '● Bash one',
    '● Bash two',
    '● Bash one',
    '  of one',
    '✗ Bash two',
    '  failed, exit code 2',
  ]);
});

test('a denied tool says who denied it, and why; a plan is a list; a retry and an error are said', () => {
  const bodies: AgentBody[] = [
    { kind: 'tool.started', tool: 'x', name: 'Bash', toolKind: 'execute', title: 'npm test' },
    ASK,
    { kind: 'permission.resolved', request: 'r', decision: 'deny', by: 'watcher', who: 'kim', message: 'not now' },
    { kind: 'tool.ended', tool: 'x', status: 'denied', output: [{ type: 'text', text: 'not now' }] },
    {
      kind: 'plan.updated',
      replace: true,
      entries: [
        { text: 'a', status: 'completed' },
        { text: 'b', status: 'pending' },
      ],
    },
    { kind: 'retry', attempt: 1, max: 3, delayMs: 2000, error: { code: 'x', message: 'overloaded', httpStatus: 529 } },
    { kind: 'raw', type: 'new-thing', value: { a: 1 } },
    { kind: 'turn.ended', outcome: 'failed', error: { code: 'x', message: 'no more' } },
  ];
  expect(documentOf(bodies)).toEqual([
    '✗ Bash npm test',
    '  denied by kim: not now',
    '',
    '☑ a',
    '☐ b',
    '',
    '! retry 1 of 3 in 2s: overloaded (HTTP 529)',
    '─ the turn failed',
    '  no more',
  ]);
  expect(documentOf(bodies, { width: 60, isFull: true }).join('\n')).toContain('unknown to this version: new-thing');
});

test('long output is folded, and all of it is there when it is wanted', () => {
  const output = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
  const bodies: AgentBody[] = [
    { kind: 'tool.started', tool: 'x', name: 'Bash', toolKind: 'execute', title: 'seq' },
    { kind: 'tool.ended', tool: 'x', status: 'ok', output: [{ type: 'text', text: output }] },
  ];
  expect(documentOf(bodies)).toEqual([
    '● Bash seq',
    '  line 0',
    '  line 1',
    '  line 2',
    '  … 25 more lines',
    '  line 28',
    '  line 29',
  ]);
  expect(documentOf(bodies, { width: 60, isFull: true })).toHaveLength(31);
});

test('a withdrawn text is gone, and what replaces it is there once', () => {
  const bodies: AgentBody[] = [
    { kind: 'message.delta', message: 'a', part: 0, text: 'Half a' },
    { kind: 'message.done', message: 'a', part: 0, text: 'Half a', aborted: true },
    { kind: 'message.retracted', messages: ['a'] },
    { kind: 'message.done', message: 'b', part: 0, text: 'A whole answer' },
  ];
  expect(documentOf(bodies)).toEqual(['· an answer was withdrawn and is tried again', '', 'A whole answer']);
});

test('[SHOW-2] however the deltas are cut, and at any moment before the end: the same text at the end', () => {
  const text =
    '# A\n\nSome **bold** text with `code`, 漢字 and 👍.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\nend';
  const whole = documentOf([{ kind: 'message.done', message: 'm', part: 0, text }]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 80 }), fc.boolean(), (sizes, hasDone) => {
      const bodies: AgentBody[] = [];
      let at = 0;
      for (const size of [...sizes, Infinity]) {
        if (at >= text.length) break;
        bodies.push({ kind: 'message.delta', message: 'm', part: 0, text: text.slice(at, at + size) });
        at += size;
      }
      if (hasDone) bodies.push({ kind: 'message.done', message: 'm', part: 0, text });
      expect(documentOf(bodies)).toEqual(whole);
      expect(printedOf(bodies)).toEqual(whole);
    }),
  );
});

test('[SHOW-3] a text keeps its beginning and its end, however long it gets', () => {
  const kept = new KeptText();
  for (let at = 0; at < 5000; at++) kept.append(`piece ${at} ${'x'.repeat(1000)}`);
  const text = kept.toString();
  expect(text.length).toBeLessThan(400_000);
  expect(text.startsWith('piece 0 ')).toBe(true);
  expect(text).toContain('piece 4999 ');
  expect(text).toMatch(/\[… \d+ characters …\]/);
});

test('[SHOW-3] what a tool prints for hours is cut as it comes: more than a string can hold', () => {
  const transcript = new Transcript();
  const [event] = eventsOf([
    { kind: 'tool.output', tool: 'x', mode: 'append', stream: 'stdout', text: 'x'.repeat(4 * 1024 * 1024) },
  ]);
  for (let at = 0; at < 140; at++) transcript.take(event!); // V8 holds 2^29 characters in a string
  const [entry] = transcript.entries;
  expect(entry?.kind === 'tool' && entry.output.toString().length).toBeLessThan(400_000);
});

test('an error is said once and in words, also when the agent passes on the JSON of a server', () => {
  const message = 'API error: {"error":{"code":400,"message":"bad request","status":"INVALID"}}';
  const bodies: AgentBody[] = [
    { kind: 'fault', error: { code: 'other', message }, fatal: false },
    { kind: 'turn.ended', outcome: 'failed', error: { code: 'other', message } },
  ];
  expect(documentOf(bodies)).toEqual(['! API error: bad request', '─ the turn failed']);
  expect(unwrapFault('{"message":"{\\"error\\":\\"inner\\"}"}')).toBe('inner');
  for (const text of ['no {json} here', '{"a":1}', 'open {', '}{', '']) expect(unwrapFault(text)).toBe(text);
});

test('a permission shows the change that its tool has proposed; a plan that stays is not said again; a task keeps its name', () => {
  const plan: AgentBody = { kind: 'plan.updated', replace: true, entries: [{ text: 'a step', status: 'pending' }] };
  const turn: AgentBody = { kind: 'turn.started', origin: 'user', prompt: [{ type: 'text', text: 'go on' }] };
  const diff = { path: '/a.txt', change: 'add', oldText: null, newText: 'hello\n' } as const;
  const lines = printedOf([
    plan,
    turn,
    plan,
    { kind: 'tool.started', tool: 'x', name: 'apply_patch', toolKind: 'edit', input: { path: '/a.txt' } },
    { kind: 'file.changed', tool: 'x', phase: 'proposed', diff },
    { ...ASK, name: 'apply_patch', title: 'change files', input: {}, diffs: [] } as AgentBody,
    { kind: 'task', task: 't1', state: 'started', title: 'Look' },
    { kind: 'task', task: 't1', state: 'completed' },
  ]);
  expect(lines).toEqual([
    '☐ a step',
    '',
    '> go on',
    '',
    '● apply_patch /a.txt',
    '? Allow apply_patch?',
    '  ─ the input: {}',
    '  ─ new file /a.txt',
    '    + hello',
    '    +',
    '  ─ the agent says: change files',
    '· task Look: started',
    '· task Look: completed',
  ]);
});

test('the head of a tool waits for what the tool works on, and says its name once', () => {
  expect(
    printedOf([
      { kind: 'tool.started', tool: 'x', name: 'Write', toolKind: 'edit', title: 'Preparing file…' },
      { kind: 'tool.input', tool: 'x', input: { file_path: '/a.txt' }, title: 'Write a.txt' },
      { kind: 'tool.ended', tool: 'x', status: 'ok' },
      { kind: 'tool.started', tool: 'y', name: 'run', toolKind: 'other', title: 'run' },
      { kind: 'tool.input', tool: 'y', input: { command: 'date' }, title: 'run' },
      { kind: 'tool.ended', tool: 'y', status: 'ok' },
      { kind: 'tool.started', tool: 'z', name: 'todowrite', toolKind: 'think' },
      { kind: 'tool.ended', tool: 'z', status: 'ok', output: [{ type: 'text', text: '[{"content":"a step"}]' }] },
    ]),
  ).toEqual(['● Write a.txt', '● run date', '● todowrite']);
});

test('[SHOW-1] the list that a todo tool answers with is shown as a plan, never as JSON; another answer as it is', () => {
  const tool = (text: string): readonly AgentBody[] => [
    { kind: 'tool.started', tool: 'z', name: 'todowrite', toolKind: 'think' },
    { kind: 'tool.ended', tool: 'z', status: 'ok', output: [{ type: 'text', text }] },
  ];
  const list = [
    { content: 'Read \u001b[31mthe code', status: 'completed' },
    { content: 'Fix it', status: 'odd' },
  ];
  const full = { width: 60, isFull: true };
  expect(documentOf(tool(JSON.stringify(list, null, 2)))).toEqual(['● todowrite']);
  expect(documentOf(tool(JSON.stringify(list, null, 2)), full)).toEqual([
    '● todowrite',
    String.raw`  ☑ Read \e[31mthe code`,
    '  ☐ Fix it',
  ]);
  for (const text of ['[{"content":1}]', '[{"content":', '[1', 'done'])
    expect(documentOf(tool(text), full)).toEqual(['● todowrite', `  ${text}`]);
});

test('[SHOW-3] only the latest entries are kept', () => {
  const transcript = new Transcript();
  const events = eventsOf(
    Array.from({ length: 6000 }, (_, at) => ({ kind: 'message.done', message: `m${at}`, part: 0, text: 'x' })),
  );
  for (const event of events) transcript.take(event);
  expect(transcript.entries.length).toBeLessThanOrEqual(5000);
  expect(transcript.entries.length + transcript.omitted).toBe(6000);
});

test('[SHOW-1] hostile titles, paths, outputs and questions show no control character', () => {
  const evil = 'a\u001b]52;c;aGk=\u0007b\u202ec\r\nd\u009be';
  const bodies: AgentBody[] = [
    { kind: 'session.started', agentName: evil, model: evil, cwd: evil },
    { kind: 'turn.started', origin: 'user', prompt: [{ type: 'text', text: evil }] },
    { kind: 'tool.started', tool: 'x', name: evil, toolKind: 'execute', title: evil },
    { ...ASK, name: evil, title: evil, reason: `${evil}why`, input: { command: evil } } as AgentBody,
    {
      kind: 'file.changed',
      tool: 'x',
      phase: 'applied',
      diff: { path: evil, change: 'move', movedTo: `${evil}moved`, oldText: evil, newText: `${evil}2` },
    },
    { kind: 'permission.resolved', request: 'r', decision: 'allow', by: 'watcher', who: evil, message: evil },
    { kind: 'tool.ended', tool: 'x', status: 'error', reason: evil, output: [{ type: 'text', text: evil }] },
    {
      kind: 'question.asked',
      request: 'q',
      questions: [{ id: 'q', text: evil, options: [{ id: 'o', label: evil, description: evil }] }],
    },
    { kind: 'question.resolved', request: 'q', decision: 'answered', who: evil, answers: { q: evil } },
    { kind: 'plan.updated', replace: true, entries: [{ text: evil, status: 'pending' }] },
    { kind: 'notice', level: 'warning', text: evil },
    { kind: 'turn.ended', outcome: 'failed', error: { code: 'x', message: evil } },
  ];
  for (const lines of [documentOf(bodies), printedOf(bodies), documentOf(bodies, { width: 30, isFull: true })]) {
    expect(lines.join('\n')).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
    );
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.join(' ')).toContain('moved');
  }
});

const LIES: AgentBody = {
  kind: 'permission.requested',
  request: 'r',
  name: 'mcp__shell__run',
  title: 'List the files',
  input: { description: 'List the files', script: 'rm -rf ~' },
  options: [],
};

test('[REQ-8] an outcome names the tool and its input, not the title of the agent', () => {
  const allowed: AgentBody = {
    kind: 'permission.resolved',
    request: 'r',
    decision: 'allow',
    by: 'watcher',
    who: 'kim',
  };
  const about = 'mcp__shell__run script: rm -rf ~ · description: List the files';
  const wide = { width: 200, isFull: false };
  expect(printedOf([LIES, allowed], wide).at(-1)).toBe(`✓ allowed by kim · ${about}`);
  const tool: AgentBody = { kind: 'tool.started', tool: 't', name: 'run', toolKind: 'other', title: 'List the files' };
  const withTool = documentOf([tool, { ...LIES, tool: 't' } as AgentBody, allowed], wide);
  expect(withTool.at(-1)).toBe(`● ${about}  allowed by kim`);
  // The sign, the deciding user and the tool are shown, however long the input is.
  const long = documentOf([tool, { ...LIES, tool: 't', input: { a: 'x'.repeat(500) } } as AgentBody, allowed]);
  expect(long.at(-1)).toMatch(/^● mcp__shell__run a: x+…  allowed by kim$/);
  const changed: AgentBody = { ...allowed, isInputChanged: true, input: { script: 'ls' } } as AgentBody;
  expect(printedOf([LIES, changed], wide).join(' ')).toContain('with another input: script: ls');
});

test('[REQ-1, REQ-40] a request in a transcript is whole, or says how many lines are missing and where they are', () => {
  const script = Array.from({ length: 100 }, (_, at) => `echo ${at}`).join('\n');
  const ask: AgentBody = { ...LIES, input: { command: script }, title: 'x' } as AgentBody;
  const printer = new TranscriptPrinter({ width: 80, isFull: false, restHint: say`spool inspect bob shows them` });
  const lines = printer.take({ ...ask, seq: 0, at: 0, session: 's' } as AgentEvent).map(plainText);
  expect(lines).toHaveLength(REQUEST_LINES_MAX);
  // The title, the key, 100 lines and the agent's words.
  expect(lines.at(-1)).toBe(`  … ${103 - (REQUEST_LINES_MAX - 1)} more lines; spool inspect bob shows them`);
  expect(documentOf([ask], { width: 80, isFull: true }).filter((line) => line.includes('echo'))).toHaveLength(100);
});

test('a tool that was open at the end of its turn is cancelled in words, not by a code', () => {
  const lines = documentOf([
    { kind: 'turn.started', origin: 'user' },
    { kind: 'tool.started', tool: 'x', toolKind: 'execute', name: 'Bash', title: 'sleep 100' },
    { kind: 'tool.ended', tool: 'x', status: 'cancelled', reason: 'turn-ended' },
  ]);
  expect(lines.join('\n')).toContain('cancelled: the turn ended');
});
