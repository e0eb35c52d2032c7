import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentEvent } from '@spool/protocol/agent';
import type { Dialect } from '../../dialect.ts';
import { Conversation } from '../../testing/conversation.ts';
import { geminiTerminal } from './dialect.ts';

/** A chat of Gemini 0.61.0: a greeting, an allowed command, a refused file, a thought, and an interrupted turn. */
const CHAT = readFileSync(new URL('../../testing/fixtures/gemini-chat.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');

interface ChatRecord {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly line: unknown;
}

/** The lines as the recorder appends them. */
function recorded(lines: readonly string[] = CHAT): ChatRecord[] {
  let from = 0;
  return lines.map((line) => {
    const to = from + Buffer.byteLength(line) + 1;
    const record = { file: 'chat.jsonl', from, to, line: JSON.parse(line) as unknown };
    from = to;
    return record;
  });
}

function read(records: readonly unknown[]): AgentEvent[] {
  const chat = new Conversation('gemini', {}, geminiTerminal as Dialect);
  for (const record of records) chat.says(record);
  return chat.events.filter(({ kind }) => kind !== 'status' && kind !== 'usage');
}

const shortened = (events: readonly AgentEvent[]): string[] =>
  events.map((event) => {
    if (event.kind === 'turn.started') return `> ${(event.prompt![0] as { text: string }).text}`;
    if (event.kind === 'message.done' || event.kind === 'thinking.done') return `${event.kind}: ${event.text}`;
    if (event.kind === 'tool.started') return `${event.toolKind} ${event.title}`;
    if (event.kind === 'tool.ended') return `${event.status}: ${JSON.stringify(event.output?.[0])}`;
    if (event.kind === 'file.changed') return `${event.phase} ${event.diff.change} ${event.diff.path}`;
    if (event.kind === 'turn.ended') return event.outcome;
    return event.kind;
  });

const SEEN = [
  'session.started',
  '> say hello',
  'message.done: Hello! I am a scripted model. How can I help?',
  'completed',
  '> run bash',
  'thinking.done: Planning\n\nI should run a command.',
  'message.done: I will run a command.',
  'execute echo one; echo two >&2; touch made-by-bash.txt',
  'ok: {"type":"text","text":"one\\ntwo"}',
  'message.done: The command printed two lines.',
  'completed',
  '> write file',
  'message.done: Creating the file.',
  'edit /home/user/project/hello.txt',
  'failed add /home/user/project/hello.txt',
  'denied: {"type":"text","text":"[Operation Cancelled] Reason: User denied execution."}',
  'interrupted',
  '> think',
  'thinking.done: Weighing options\n\nThe user wants me to think. Option B is better.',
  'message.done: After some thought: option **B**.',
  'completed',
  '> hang',
  'interrupted',
];

const whole = (event: AgentEvent): boolean => event.kind !== 'message.delta' && event.kind !== 'thinking.delta';

test('[CHAN-30] the chat file of Gemini has each prompt, thought, text and tool once, although Gemini writes its history again', () => {
  expect(shortened(read(recorded()).filter(whole))).toEqual(SEEN);
});

test('[CHAN-30] lines that two drivers have recorded are taken once', () => {
  const lines = recorded();
  for (let at = 1; at <= lines.length; at++) {
    const doubled = [...lines.slice(0, at), ...lines.slice(Math.max(0, at - 5), at), ...lines.slice(at)];
    expect(shortened(read(doubled).filter(whole))).toEqual(SEEN);
  }
});

test('[CHAN-30] a turn ends when the terminal is idle', () => {
  const lines = recorded().slice(0, 6);
  expect(shortened(read(lines)).at(-1)).toMatch(/^message\.done/);
  expect(shortened(read([...lines, { isIdle: true }, { isIdle: true }])).slice(-1)).toEqual(['completed']);
});
