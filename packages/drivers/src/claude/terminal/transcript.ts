/** Handles the lines of Claude's transcript: everything that was said and done, in order, a moment later than on the screen. */
import { type JsonObject, listOf, numberOf, objectOf, present, textOf } from '../../json-value.ts';
import { assistantMessage, user } from '../stream.ts';
import { tokensOf } from '../usage.ts';
import { promptSubmitted } from './hooks.ts';
import { release, type TerminalWork } from './state.ts';

/** Matches a prompt of Claude itself, for its own commands and their output. */
const OWN_COMMAND = /^<(?:command-name|local-command|bash-)/;
const INTERRUPTED = '[Request interrupted by user';

export function transcriptLine(work: TerminalWork, line: JsonObject): boolean {
  const { state } = work;
  state.version ??= textOf(line.version) ?? null;
  switch (line.type) {
    case 'assistant':
      return said(work, line);
    case 'user':
      return line.isMeta === true || line.isCompactSummary === true ? true : asked(work, line);
    case 'system':
      return system(work, line);
    default:
      return true;
  }
}

/** Returns the line in the format of the stream; the transcript uses other names. */
function streamed(work: TerminalWork, line: JsonObject): JsonObject {
  const agent = line.isSidechain === true ? textOf(line.agentId) : undefined;
  const parent = agent === undefined ? undefined : work.state.subagents[agent];
  return {
    ...line,
    thinking_duration_ms: line.thinkingDurationMs,
    is_api_error_message: line.isApiErrorMessage,
    tool_use_result: line.toolUseResult,
    ...present({ agent_id: agent, parent_tool_use_id: parent }),
  };
}

function said(work: TerminalWork, line: JsonObject): boolean {
  const { ledger, state } = work;
  const message = objectOf(line.message);
  const isMain = line.isSidechain !== true;
  state.model = textOf(message.model) ?? state.model;
  const isKnown = assistantMessage(work, streamed(work, line));
  const id = textOf(message.id) ?? null;
  const tokens = tokensOf(message.usage);
  if (isMain && id !== null && id !== state.counted && tokens) {
    state.counted = id;
    ledger.emit({ kind: 'usage', scope: 'message', tokens });
  }
  if (isMain && line.isApiErrorMessage === true) {
    const text = listOf(message.content)
      .flatMap((block) => textOf(objectOf(block).text) ?? [])
      .join('\n');
    endTurn(work, { outcome: 'failed', error: { code: textOf(line.error) ?? 'api-error', message: text } });
  }
  return isKnown;
}

function asked(work: TerminalWork, line: JsonObject): boolean {
  const { content } = objectOf(line.message);
  if (line.isSidechain === true) return typeof content === 'string' ? true : user(work, results(work, line));
  if (typeof content === 'string') {
    if (!OWN_COMMAND.test(content)) promptSubmitted(work, content, textOf(line.promptId) ?? textOf(line.uuid) ?? null);
    return true;
  }
  const [first] = listOf(content).map(objectOf);
  const text = textOf(first?.text);
  if (text?.startsWith(INTERRUPTED)) {
    endTurn(work, { outcome: 'interrupted' });
    return true;
  }
  if (first?.type === 'tool_result') return user(work, results(work, line));
  if (text !== undefined && !OWN_COMMAND.test(text))
    promptSubmitted(work, text, textOf(line.promptId) ?? textOf(line.uuid) ?? null);
  return true;
}

/** Returns a line with results of tools in the format of the stream, and ends hooks that wait for one of these tools. */
function results(work: TerminalWork, line: JsonObject): JsonObject {
  const { state } = work;
  const content = listOf(objectOf(line.message).content).map(objectOf);
  const meta = content.map(({ tool_use_id: id }) => ({
    id,
    non_execution_kind: line.toolDenialKind,
    permission_decision: line.permissionDecision,
  }));
  for (const { tool_use_id: tool } of content) {
    const started = textOf(objectOf(line.toolUseResult).agentId);
    if (started !== undefined && typeof tool === 'string') state.subagents[started] = tool;
    for (const [request, { tool: own }] of Object.entries(state.asked))
      if (own === tool) {
        const isRefused = line.toolDenialKind !== undefined;
        if (work.ledger.state.asks[request]?.isAnswered) work.ledger.answered(request, isRefused ? 'deny' : 'allow');
        const kept = state.asked[request]!;
        release(work, request);
        state.asked[request] = kept; // `user` resolves the request and forgets it
      }
  }
  return { ...streamed(work, line), tool_result_meta: meta };
}

function system(work: TerminalWork, line: JsonObject): boolean {
  const { ledger } = work;
  if (line.isSidechain === true) return true;
  if (line.subtype === 'turn_duration')
    endTurn(work, { outcome: 'completed', ...present({ durationMs: numberOf(line.durationMs) }) });
  else if (line.subtype === 'compact_boundary') {
    const tokensBefore = numberOf(objectOf(line.compactMetadata).preTokens);
    ledger.emit({ kind: 'session.reset', reason: 'compact', ...present({ tokensBefore }) });
  }
  return true;
}

function endTurn(work: TerminalWork, end: Parameters<TerminalWork['ledger']['endTurn']>[0]): void {
  const { ledger, state } = work;
  state.isStopping = false;
  // Hooks whose request ends with its turn are no longer waited for.
  for (const request of Object.keys(state.asked)) {
    if (ledger.state.asks[request]?.isAnswered) ledger.answerTaken(request);
    release(work, request);
  }
  ledger.endTurn(end, (tool) => tool.agent !== undefined);
}
