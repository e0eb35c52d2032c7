/** Tests the arrangement of entries as cards. */
import { type AgentRequestEvent, Transcript } from '@spool/render';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { arrange, type CardItem, filesChanged } from './arrange.ts';

let seq = 0;
const event = (body: object): AgentEvent =>
  ({ seq: ++seq, at: seq, session: 's', source: 'claude', evidence: 'wire', ...body }) as AgentEvent;

function transcriptOf(...bodies: readonly object[]): Transcript {
  const transcript = new Transcript();
  for (const body of bodies) transcript.take(event(body));
  return transcript;
}

const tool = (id: string, toolKind: string, more: object = {}, status = 'ok'): readonly object[] => [
  { kind: 'tool.started', tool: id, name: toolKind, toolKind, title: id, ...more },
  { kind: 'tool.ended', tool: id, status, ...more },
];

const shape = (items: readonly CardItem[]): unknown =>
  items.map((item) =>
    item.type === 'reads'
      ? `reads ${item.entries.length}`
      : item.children.length > 0
        ? [item.entry.kind, shape(item.children)]
        : item.entry.kind,
  );

test('[CARD-2] four reads in a row are one card, three are three, and a failed one is its own', () => {
  const reads = (count: number): readonly object[] =>
    Array.from({ length: count }, (_, at) => tool(`r${seq}-${at}`, 'read')).flat();
  expect(shape(arrange(transcriptOf(...reads(4)).entries, { isFull: false }))).toEqual(['reads 4']);
  expect(shape(arrange(transcriptOf(...reads(3)).entries, { isFull: false }))).toEqual(['tool', 'tool', 'tool']);
  const failed = transcriptOf(...reads(2), ...tool('bad', 'read', {}, 'error'), ...reads(2));
  expect(shape(arrange(failed.entries, { isFull: false }))).toEqual(['tool', 'tool', 'tool', 'tool', 'tool']);
});

test('[CARD-2] the work of a subagent is in the card of the tool that started it, also two levels deep', () => {
  const inner = { agent: { parentTool: 'one' } };
  const deep = { agent: { parentTool: 'two' } };
  const transcript = transcriptOf(
    { kind: 'tool.started', tool: 'one', toolKind: 'agent', name: 'Task' },
    { kind: 'tool.started', tool: 'two', toolKind: 'agent', name: 'Task', ...inner },
    { kind: 'message.done', message: 'm', part: 0, text: 'deep', ...deep },
    { kind: 'message.done', message: 'n', part: 0, text: 'alone', agent: { parentTool: 'unknown' } },
  );
  expect(shape(arrange(transcript.entries, { isFull: false }))).toEqual([['tool', [['tool', ['message']]]], 'message']);
});

test('a waiting request, a decided one that its tool shows, and minor notices have no card', () => {
  const ask: Partial<AgentRequestEvent> = { kind: 'permission.requested', request: 'r', tool: 't', options: [] };
  const transcript = transcriptOf(
    { kind: 'tool.started', tool: 't', toolKind: 'execute', name: 'Bash', title: 'ls' },
    ask,
    { kind: 'notice', level: 'info', text: 'minor' },
  );
  expect(shape(arrange(transcript.entries, { isFull: false }))).toEqual(['tool']);
  expect(shape(arrange(transcript.entries, { isFull: true }))).toEqual(['tool', 'note']);
  transcript.take(event({ kind: 'permission.resolved', request: 'r', decision: 'allow', by: 'watcher' }));
  expect(shape(arrange(transcript.entries, { isFull: false }))).toEqual(['tool']);
});

test('the files of a turn are those that were changed in it', () => {
  const change = (path: string): object => ({
    kind: 'file.changed',
    phase: 'applied',
    diff: { path, change: 'modify', newText: 'a' },
  });
  const end = { kind: 'turn.ended', outcome: 'completed' };
  const { entries } = transcriptOf(change('a'), end, change('b'), change('c'), change('b'), end);
  expect(filesChanged(entries, entries.length - 1).toSorted()).toEqual(['b', 'c']);
});
