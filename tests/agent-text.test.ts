/**
 * Tests the output of `spool logs` for agents, from recordings of the real programs: golden captures, and properties of all of
 * them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentEvent } from '@spool/protocol/agent';
import { DocumentView, plainText, Transcript, TranscriptPrinter, widthOf } from '@spool/render';
import { expect, test } from 'vitest';
import { eventsOf, inputsOf, randomNumbers, recordings } from '../packages/drivers/src/testing/recordings.ts';

const FOLDER = fileURLToPath(new URL('golden/agent-text', import.meta.url));
const IS_UPDATING = process.env['UPDATE'] === '1';
const WIDTHS = [80, 40, 200] as const;
/**
 * Recordings with a turn that asks, one that fails, a subagent, a plan, a diff, an interrupt: each agent shows them in its own
 * way.
 */
const SHOWN = [
  'claude/subagent-permission.ndjson',
  'claude/perm-deny-interrupt.ndjson',
  'codex/app-server-errors.ndjson',
  'codex/app-server-file-add-approval-decline.trace.ndjson',
  'opencode/bash-always.trace.ndjson',
  'acp/claude-write-edit.trace.ndjson',
  'gemini/tool-error.ndjson',
  'grok/acp.trace.ndjson',
];

const ALL = recordings().map(({ agent, name, bytes }) => ({
  agent,
  name: `${agent}/${name}`,
  events: eventsOf(agent, inputsOf(bytes)),
}));

function printed(events: readonly AgentEvent[], width: number): string[] {
  const printer = new TranscriptPrinter({ width, isFull: false });
  const lines = events.flatMap((event) => [...printer.take(event)]);
  return [...lines, ...printer.rest()].map((line) => plainText(line).trimEnd());
}

function documentOf(events: readonly AgentEvent[]): string {
  const transcript = new Transcript();
  for (const event of events) transcript.take(event);
  const lines = new DocumentView({ width: 80, isFull: true }).all(transcript);
  return lines.map((line) => plainText(line)).join('\n');
}

test.each(SHOWN)('[SHOW-4] %s as text, in three widths', (name) => {
  const { events } = ALL.find((recording) => recording.name === name)!;
  for (const width of WIDTHS) {
    const text = `${printed(events, width).join('\n')}\n`;
    const file = `${FOLDER}/${name.replace('/', '-').replace(/(\.trace)?\.ndjson$/, '')}-${width}.txt`;
    if (IS_UPDATING) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(text, file).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  }
});

/**
 * Recordings with JSON that is not a wire: the result of a tool, and its only words (a form of Grok that is only replayed,
 * OpenCode's list of todos), or the words of the scripted model, which quotes its tools.
 */
const WITH_JSON = /^(?:grok\/headless-messages-|(?:opencode|gemini)\/headless-many)/;
/** Fields without the prompts, which contain the scripts of the recorded models. */
const NO_PROMPT: object = { prompt: undefined, content: undefined };
/** Recordings in which the user asked for JSON. */
const ASKED_FOR_JSON = /^codex\/exec-schema/;

test('[SHOW-4] no recording shows JSON of a wire, or a tool without a word, or a line beyond the room', () => {
  const faults = ALL.flatMap(({ name, events }) => {
    const withoutPrompts = events.map((event) => ({ ...event, ...NO_PROMPT }) as AgentEvent);
    const lines = printed(withoutPrompts, 80);
    const found = lines.filter((line) => /^(?:┆ )?[●✗○◐](?: tool)?$/.test(line));
    if (!WITH_JSON.test(name) && !ASKED_FOR_JSON.test(name))
      // A request is shown with its whole input, even if that is JSON.
      found.push(
        ...printed(withoutPrompts.filter(isUnasked), 80).filter((line) => /\{ ?"\w+"|\[\{|^\s*"\w+":/.test(line)),
      );
    found.push(...lines.filter((line) => widthOf(line) > 80));
    return found.map((line) => `${name}: ${line}`);
  });
  expect(faults).toEqual([]);
});

const isUnasked = ({ kind }: AgentEvent): boolean => !kind.startsWith('permission.');

test('[SHOW-2] recorded texts, cut again at random: the same document and the same lines at the end', () => {
  const random = randomNumbers(1117);
  const changed = ALL.filter(({ events }) => {
    const cut = events.flatMap((event) => recut(event, random));
    return documentOf(cut) !== documentOf(events) || printed(cut, 80).join('\n') !== printed(events, 80).join('\n');
  });
  expect(changed.map(({ name }) => name)).toEqual([]);
});

/** Returns the same text in pieces. */
function recut(event: AgentEvent, random: (below: number) => number): AgentEvent[] {
  const isText =
    event.kind === 'message.delta' ||
    event.kind === 'thinking.delta' ||
    (event.kind === 'tool.output' && event.mode === 'append');
  if (!isText || event.text === '') return [event];
  const pieces: AgentEvent[] = [];
  for (let at = 0; at < event.text.length;) {
    const size = 1 + random(12);
    pieces.push({ ...event, text: event.text.slice(at, at + size) });
    at += size;
  }
  return pieces;
}
