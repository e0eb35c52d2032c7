/**
 * The contents of a run in one shape: once from the events, and once from the agent's own record, which is read here without the dialects.
 * `terminal-runs.test.ts` compares the two.
 */
import type { AgentEvent, Content } from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import type { TerminalAgentName, TerminalRun } from './terminal-runs.ts';

interface ToolFact {
  readonly tool: string;
  readonly input: unknown;
  /** The text of its output; null for a tool that was refused or cancelled. */
  readonly output: string | null;
}

export interface RunFacts {
  readonly prompts: readonly string[];
  readonly texts: readonly string[];
  readonly thoughts: readonly string[];
  /** The texts of subagents. */
  readonly helpers: readonly string[];
  readonly tools: readonly ToolFact[];
  /** The lines of each change of a file, with its path in the project. */
  readonly changes: readonly FileChange[];
}

type FileChange = readonly [path: string, lines: readonly string[]];

const PROJECT = '/home/user/project/';
const changed = (path: string, lines: readonly string[]): FileChange => [path.replace(PROJECT, ''), lines];
const added = (path: string, text: string): FileChange => changed(path, [text]);

const joined = (parts: readonly Content[] = []): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Returns what the events say. */
export function factsOfEvents(events: readonly AgentEvent[]): RunFacts {
  const inputs = new Map<string, unknown>();
  for (const event of events)
    if ((event.kind === 'tool.started' || event.kind === 'tool.input') && event.input !== undefined)
      inputs.set(event.tool, event.input);
  const isMain = ({ agent }: AgentEvent): boolean => agent === undefined;
  const interrupted = new Set(
    events.flatMap((event) => (event.kind === 'turn.ended' && event.outcome === 'interrupted' ? [event.turn] : [])),
  );
  /** Codex and Grok do not record the text of a turn that was interrupted. */
  const isRecorded = ({ source, turn }: AgentEvent): boolean =>
    (source !== 'codex' && source !== 'grok') || !interrupted.has(turn);
  let shown = ''; // a prompt that the turn has shown is not shown again
  return {
    prompts: events.flatMap((event) => {
      if (event.kind === 'turn.started') return (shown = joined(event.prompt)) === '' ? [] : [shown];
      const isNew = event.kind === 'prompt' && event.state === 'echo' && joined(event.content) !== shown;
      return isNew ? [joined(event.content)] : [];
    }),
    texts: events.flatMap((event) =>
      event.kind === 'message.done' && isMain(event) && isRecorded(event) ? [event.text] : [],
    ),
    helpers: events.flatMap((event) => (event.kind === 'message.done' && !isMain(event) ? [event.text] : [])),
    thoughts: events.flatMap((event) => (event.kind === 'thinking.done' ? [event.text] : [])),
    tools: events
      .flatMap((event) => {
        if (event.kind !== 'tool.ended') return [];
        const { tool, status, output } = event;
        const isRefused = status === 'denied' || status === 'cancelled';
        return [{ tool, input: inputs.get(tool), output: isRefused ? null : joined(output) }];
      })
      .toSorted(byId),
    changes: events.flatMap((event) => {
      if (event.kind !== 'file.changed' || event.phase !== 'applied' || event.tool === undefined) return [];
      const { path, change, newText = '', hunks = [] } = event.diff;
      return [
        change === 'add'
          ? added(path, newText)
          : changed(
              path,
              hunks.flatMap(({ lines }) => lines),
            ),
      ];
    }),
  };
}

type Reader = (record: TerminalRun['record']) => RunFacts;

const READERS: Readonly<Partial<Record<TerminalAgentName, Reader>>> = {
  claude: readClaude,
  codex: readCodex,
  opencode: readOpenCode,
  grok: readGrok,
};

/** Returns what the agent has recorded about itself. */
export function factsOfRecord(agent: TerminalAgentName, record: TerminalRun['record']): RunFacts {
  const facts = READERS[agent]!(record);
  return { ...facts, tools: facts.tools.toSorted(byId) };
}

/** Tools that ran at once end in any order. */
const byId = (a: ToolFact, b: ToolFact): number => (a.tool < b.tool ? -1 : 1);

const SUBAGENTS = '/subagents/';
/** A prompt of Claude for its own commands. */
const OWN_COMMAND = /^<(?:command-name|local-command|bash-|task-notification>)/;
const INTERRUPTED = '[Request interrupted';

function readClaude(record: TerminalRun['record']): RunFacts {
  const files = Object.entries(record)
    .map(([name, lines]) => ({ name, lines: lines.map(objectOf) }))
    .toSorted((a, b) => (startOf(a.lines) < startOf(b.lines) ? -1 : 1));
  const main = files.filter(({ name }) => !name.includes(SUBAGENTS)).flatMap(({ lines }) => lines);
  const helpers = files.filter(({ name }) => name.includes(SUBAGENTS)).flatMap(({ lines }) => lines);
  const blocks = main.flatMap((line) =>
    listOf(objectOf(line.message).content).map((block) => ({ line, block: objectOf(block) })),
  );
  const said = (type: string, field: string): string[] =>
    blocks.flatMap(({ line, block }) =>
      line.type === 'assistant' && block.type === type ? [textOf(block[field]) ?? ''] : [],
    );
  const inputs = new Map(blocks.map(({ block }) => [block.id, block.input]));
  return {
    prompts: main.flatMap((line) => claudePrompt(line)),
    texts: said('text', 'text'),
    thoughts: said('thinking', 'thinking').filter((text) => text !== ''),
    helpers: helpers.flatMap((line) =>
      line.type === 'assistant'
        ? listOf(objectOf(line.message).content).flatMap((block) => textOf(objectOf(block).text) ?? [])
        : [],
    ),
    tools: blocks.flatMap(({ line, block }) =>
      block.type === 'tool_result'
        ? [
            {
              tool: String(block.tool_use_id),
              input: inputs.get(block.tool_use_id),
              output: line.toolDenialKind === undefined ? textsIn(block.content) : null,
            },
          ]
        : [],
    ),
    changes: main.flatMap(({ toolUseResult }) => {
      const { filePath, structuredPatch, content, type } = objectOf(toolUseResult);
      if (typeof filePath !== 'string' || structuredPatch === undefined) return [];
      const lines = listOf(structuredPatch).flatMap((hunk) => listOf(objectOf(hunk).lines).map(String));
      return [type === 'create' ? added(filePath, String(content)) : changed(filePath, lines)];
    }),
  };
}

const startOf = (lines: readonly JsonObject[]): string =>
  textOf(lines.find(({ timestamp }) => timestamp !== undefined)?.timestamp) ?? '';

function claudePrompt(line: JsonObject): string[] {
  if (line.type !== 'user' || line.isMeta === true || line.isCompactSummary === true) return [];
  const { content } = objectOf(line.message);
  if (listOf(content).some((block) => objectOf(block).type === 'tool_result')) return [];
  const text = textsIn(content);
  return OWN_COMMAND.test(text) || text.startsWith(INTERRUPTED) ? [] : [text];
}

/** Returns the text of a content: a text, or a list of parts. */
function textsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .filter(isObject)
    .map(({ text }) => textOf(text) ?? '')
    .join('');
}

function readCodex(record: TerminalRun['record']): RunFacts {
  const files = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)); // their names begin with the time
  const payloads = files.flatMap(([, lines]) => lines.map((line) => objectOf(objectOf(line).payload)));
  const items = payloads.flatMap(({ type, item }) => (type === 'item_completed' ? [objectOf(item)] : []));
  const done = new Map(items.map((item) => [item.id, item]));
  const texts = (type: string, field: string): string[] =>
    items.flatMap((item) => (item.type === type ? [textsIn(item[field])] : []));
  return {
    prompts: texts('UserMessage', 'content'),
    texts: texts('AgentMessage', 'content'),
    helpers: [],
    thoughts: items.flatMap((item) =>
      item.type === 'Reasoning' ? [[...listOf(item.summary_text), ...listOf(item.raw_content)].join('\n\n')] : [],
    ),
    tools: payloads.flatMap((payload) => {
      if (payload.type !== 'function_call') return [];
      const { type, changes, aggregated_output: output } = done.get(payload.call_id) ?? {};
      const { cmd } = objectOf(JSON.parse(String(payload.arguments)));
      const shell = { command: `/bin/bash -lc '${String(cmd)}'`, cwd: PROJECT.slice(0, -1) };
      const input = type === 'FileChange' ? { paths: Object.keys(objectOf(changes)) } : shell;
      return [{ tool: String(payload.call_id), input, output: type === undefined ? null : (textOf(output) ?? '') }];
    }),
    changes: items.flatMap(({ type, changes }) =>
      type === 'FileChange'
        ? Object.entries(objectOf(changes)).map(([path, change]) => added(path, textOf(objectOf(change).content) ?? ''))
        : [],
    ),
  };
}

function readOpenCode(record: TerminalRun['record']): RunFacts {
  const parts = Object.values(record)
    .flatMap((messages) => messages.map(objectOf))
    .flatMap(
      ({ info, parts: own }) =>
        listOf(own).map((part) => ({ role: objectOf(info).role, ...objectOf(part) })) as JsonObject[],
    );
  const said = (role: string, type: string): string[] =>
    parts.flatMap((part) => (part.role === role && part.type === type ? [textOf(part.text) ?? ''] : []));
  const tools = parts
    .filter(({ type }) => type === 'tool')
    .map(({ callID, state }) => ({ tool: String(callID), ...objectOf(state) }) as JsonObject);
  return {
    prompts: said('user', 'text'),
    texts: said('assistant', 'text'),
    helpers: [],
    thoughts: said('assistant', 'reasoning'),
    tools: tools.map(({ tool, status, input, output }) => ({
      tool: String(tool),
      input,
      output: status === 'completed' ? String(output) : null,
    })),
    changes: tools.flatMap(({ status, input, metadata }) => {
      const { filePath, content } = objectOf(input);
      return status === 'completed' && objectOf(metadata).exists === false
        ? [added(String(filePath), String(content))]
        : [];
    }),
  };
}

/** The prompt in the text that Grok sends to its model. */
const QUERY = /^<user_query>\n([^]*)\n<\/user_query>$/;

function readGrok(record: TerminalRun['record']): RunFacts {
  const files = Object.entries(record).filter(([name]) => name.endsWith('/chat_history.jsonl'));
  const lines = files.toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, own]) => own.map(objectOf));
  const results = new Map(lines.map(({ tool_call_id: call, content }) => [call, textOf(content) ?? '']));
  const calls = lines.flatMap(({ tool_calls: own }) => listOf(own).map(objectOf));
  return {
    prompts: lines.flatMap(({ type, content }) => (type === 'user' ? (QUERY.exec(textsIn(content))?.[1] ?? []) : [])),
    texts: lines.flatMap(({ type, content }) => (type === 'assistant' && content !== '' ? [textsIn(content)] : [])),
    helpers: [],
    thoughts: lines.flatMap(({ type, summary }) => (type === 'reasoning' ? [textsIn(summary)] : [])),
    tools: calls.map(({ id, name, arguments: text }) => {
      const { command, description, file_path: path, content } = objectOf(JSON.parse(String(text)));
      if (name === 'write')
        return { tool: String(id), input: { variant: 'Write', file_path: path, content }, output: '' }; // its change says it
      const result = results.get(id) ?? '';
      return {
        tool: String(id),
        input: { variant: 'Bash', command, description, is_background: false },
        output: result.startsWith('User rejected') ? null : result.replace(/^exit: \d+\n/, ''),
      };
    }),
    changes: calls.flatMap(({ name, arguments: text }) => {
      const { file_path: path, content } = objectOf(JSON.parse(String(text)));
      return name === 'write' ? [added(String(path), String(content))] : [];
    }),
  };
}
