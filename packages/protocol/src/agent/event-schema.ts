/**
 * The events of agents, described once: validated where they enter, and the source of their types (`events.ts`). Kinds and fields
 * are wire format: add, never rename. Fields of a later version are accepted; fields of this version must have their type. Keeps
 * DRV-1.
 */
import { z } from 'zod';
import type { Command } from './commands.ts';
import type { AgentBody } from './events.ts';
import { OPTION_KINDS, TOOL_KINDS } from './kinds.ts';

const text = z.string();
const optionalText = text.exactOptional();
const count = z.number().exactOptional();
const list = z.array(text).exactOptional();
const flag = z.boolean().exactOptional();
const anything = z.unknown().exactOptional();
const toolKind = z.enum(TOOL_KINDS);

export const CONTENT = z.union([
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('image'), mime: text, data: optionalText, uri: optionalText }),
  z.object({ type: z.literal('resource'), uri: text, mime: optionalText, text: optionalText }),
  z.object({ type: z.literal('other'), value: z.unknown() }),
]);
const contents = z.array(CONTENT).exactOptional();

/** A subagent. Absent if the event is about the main agent. */
export const AGENT_REF = z.object({ id: optionalText, parentTool: optionalText, name: optionalText });

export const TOKENS = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
  total: count,
});
const tokens = TOKENS.exactOptional();

export const AGENT_FAULT = z.object({
  code: text,
  message: text,
  httpStatus: z.number().nullable().exactOptional(),
  retryable: flag,
});

export const HUNK = z.object({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(text),
});

export const DIFF = z.object({
  path: text,
  change: z.enum(['add', 'modify', 'delete', 'move']),
  movedTo: optionalText,
  unified: optionalText,
  hunks: z.array(HUNK).exactOptional(),
  oldText: text.nullable().exactOptional(),
  newText: optionalText,
});

export const PERMISSION_OPTION = z.object({
  id: text,
  label: text,
  kind: z.enum(OPTION_KINDS),
  /** The other changes that the option causes, in the agent's own words. */
  effect: anything,
});

export const AGENT_QUESTION = z.object({
  id: text,
  text,
  header: optionalText,
  multi: flag,
  options: z.array(z.object({ id: text, label: text, description: optionalText })),
  freeText: flag,
});

export const PLAN_ENTRY = z.object({
  id: optionalText,
  text,
  status: z.enum(['pending', 'in_progress', 'completed', 'deleted']),
  priority: z.enum(['high', 'medium', 'low']).exactOptional(),
});

/** The party that decided. `driver`: it denied a request that cannot be shown, such as the second use of an id. */
export const DECIDED_BY = z.enum(['watcher', 'terminal', 'policy', 'agent', 'driver']);

const part = { message: text, part: z.int().min(0), text };

/** Makes the schema of one kind. An event belongs to a turn and to an agent. */
function body<K extends string, S extends z.core.$ZodLooseShape>(kind: K, shape: S) {
  return z.object({ kind: z.literal(kind), turn: optionalText, agent: AGENT_REF.exactOptional(), ...shape });
}

export const AGENT_BODY = z.discriminatedUnion('kind', [
  // The session.
  body('session.started', {
    agentName: optionalText,
    agentVersion: optionalText,
    agentSession: optionalText,
    model: optionalText,
    cwd: optionalText,
    mode: optionalText,
    tools: list,
    commands: list,
    capabilities: anything,
  }),
  body('session.updated', {
    agentSession: optionalText,
    title: optionalText,
    model: optionalText,
    mode: optionalText,
    commands: list,
  }),
  body('session.reset', {
    reason: z.enum(['clear', 'compact', 'fork', 'other']),
    agentSession: optionalText,
    tokensBefore: count,
    tokensAfter: count,
  }),
  body('session.ended', {
    exitCode: z.number().nullable().exactOptional(),
    signal: text.nullable().exactOptional(),
    /** The reason, for an agent that ended in the middle of a turn. */
    reason: optionalText,
    /** The agent's own session, which another process can resume. */
    agentSession: optionalText,
  }),
  body('status', { state: z.enum(['starting', 'idle', 'working', 'waiting', 'ended']), detail: optionalText }),
  // A turn: exactly one `ended` for each `started`.
  body('turn.started', { origin: z.enum(['user', 'queue', 'task', 'agent']), clientIds: list, prompt: contents }),
  body('turn.ended', {
    outcome: z.enum(['completed', 'interrupted', 'failed', 'refused', 'limit']),
    stopReason: optionalText,
    text: optionalText,
    error: AGENT_FAULT.exactOptional(),
    usage: tokens,
    costUsd: count,
    durationMs: count,
    moreQueued: count,
  }),
  body('prompt', {
    state: z.enum(['queued', 'started', 'completed', 'cancelled', 'echo']),
    clientId: optionalText,
    content: contents,
    synthetic: flag,
  }),
  body('queue', { prompts: z.array(z.object({ clientId: text, content: z.array(CONTENT) })) }).describe(
    'The waiting prompts, in order. The list replaces the previous one.',
  ),
  // Text. `delta` appends; `done` has the whole part and replaces the text from the deltas.
  body('message.delta', part),
  body('message.done', {
    ...part,
    aborted: flag,
    synthetic: flag,
    isError: flag,
    /** Whether the final text is not the sum of the deltas: it replaces them. */
    replaced: flag,
    /** Whether the text was longer than the driver keeps; the output log has the whole text. */
    truncated: flag,
  }),
  body('message.retracted', { messages: z.array(text) }).describe(
    'The texts of these messages are withdrawn: a retry replaces them.',
  ),
  body('thinking.delta', { ...part, tokens: count }),
  body('thinking.done', { ...part, durationMs: count, aborted: flag, replaced: flag, truncated: flag }),
  // Tools: one `started` and one `ended` each, in this order.
  body('tool.started', {
    tool: text,
    name: optionalText,
    toolKind,
    title: optionalText,
    input: anything,
    paths: list,
  }),
  body('tool.input', {
    tool: text,
    partialJson: optionalText,
    input: anything,
    title: optionalText,
    paths: list,
  }).describe('The partial text of the input, or the input as far as it is known.'),
  body('tool.output', {
    tool: text,
    mode: z.enum(['append', 'replace', 'tail']),
    stream: z.enum(['stdout', 'stderr', 'combined']),
    text,
    totalBytes: count,
    truncated: flag,
  }),
  body('tool.progress', { tool: text, elapsedMs: count, note: optionalText }),
  body('tool.ended', {
    tool: text,
    status: z.enum(['ok', 'error', 'denied', 'cancelled', 'background']),
    output: contents,
    exitCode: count,
    task: optionalText,
    structured: anything,
    truncated: flag,
    reason: optionalText,
  }),
  body('file.changed', { tool: optionalText, phase: z.enum(['proposed', 'applied', 'failed']), diff: DIFF }),
  // Decisions: exactly one `resolved` for each `requested`, one `question.resolved` for each `question.asked`.
  body('permission.requested', {
    request: text,
    tool: optionalText,
    name: optionalText,
    toolKind: toolKind.exactOptional(),
    title: optionalText,
    reason: optionalText,
    /** The whole input of the requested action. `title` and `reason` are the agent's own words. */
    input: anything,
    /** The input of the tool call, if it differs from `input`. */
    call: anything,
    diffs: z.array(DIFF).exactOptional(),
    options: z.array(PERMISSION_OPTION),
    humanOnly: flag,
    defaultNo: flag,
    /** The digest of everything that is shown. An answer that allows must contain it. */
    digest: optionalText,
    /** The length of everything that must be shown, as JSON in UTF-8. */
    bytes: count,
    /** Whether the request was too large to be kept whole, so that it can only be denied. */
    isCut: flag,
  }),
  body('permission.resolved', {
    request: text,
    tool: optionalText,
    decision: z.enum(['allow', 'deny', 'cancelled', 'error']),
    option: optionalText,
    by: DECIDED_BY,
    /** The client that answered, or the rule of the policy. */
    who: optionalText,
    message: optionalText,
    /** The name of the tool. */
    name: optionalText,
    /** The input of the decision, if it is short; the request always has it. */
    input: anything,
    /** The digest of the request. */
    digest: optionalText,
    /** Whether the client replaced the input: `input` is then the new one. */
    isInputChanged: flag,
  }),
  body('question.asked', {
    request: text,
    tool: optionalText,
    /** The name of the tool that asks, if the protocol gives one. */
    name: optionalText,
    questions: z.array(AGENT_QUESTION),
    schema: anything,
    /** The members of the input that are in neither the questions nor the schema. */
    input: anything,
    /** The digest of the questions, the schema and the input. An answer must contain it. */
    digest: optionalText,
    /** Whether the question was too large to be kept whole, so that it can only be declined. */
    isCut: flag,
  }),
  body('question.resolved', {
    request: text,
    answers: z.record(text, z.unknown()).exactOptional(),
    decision: z.enum(['answered', 'declined', 'cancelled']),
    by: DECIDED_BY.exactOptional(),
    who: optionalText,
  }),
  body('plan.updated', { replace: z.boolean(), entries: z.array(PLAN_ENTRY) }),
  body('command.refused', {
    command: text,
    do: z.custom<Command['do']>((value) => typeof value === 'string'),
    code: z.enum([
      'already-resolved',
      'unknown-request',
      'another-request',
      'unknown-prompt',
      'unsupported',
      'ended',
      /** The agent has closed its input, but still runs: it gets no further input. */
      'input-closed',
      'invalid',
      /** The driver could not execute it: a fault of the driver, after which its state is as before. */
      'failed',
    ]),
    message: text,
    request: optionalText,
    clientId: optionalText,
    by: optionalText,
  }).describe(
    'A command of a client that the driver did not execute, with the reason: `code` is stable, `message` gives advice.',
  ),
  // Background work and subagents.
  body('task', {
    task: text,
    state: z.enum(['started', 'progress', 'backgrounded', 'completed', 'failed', 'stopped']),
    taskKind: optionalText,
    tool: optionalText,
    title: optionalText,
    note: optionalText,
    outputFile: optionalText,
    usage: tokens,
  }),
  body('tasks.live', {
    tasks: z.array(z.object({ task: text, taskKind: optionalText, title: optionalText })),
  }).describe('The live background tasks. The list replaces the previous one.'),
  // Numbers, notices, faults.
  body('usage', {
    scope: z.enum(['message', 'turn', 'session']),
    tokens,
    costUsd: count,
    perModel: z.record(text, TOKENS.extend({ costUsd: count })).exactOptional(),
    context: z.object({ used: z.number(), size: z.number() }).exactOptional(),
  }),
  body('quota', { name: optionalText, usedPercent: count, resetsAt: count, detail: anything }).describe(
    "The used share of the account's quota, and the time when it resets (milliseconds since 1970).",
  ),
  body('retry', { attempt: z.number(), max: count, delayMs: count, error: AGENT_FAULT }),
  body('notice', { level: z.enum(['info', 'warning', 'error']), text, code: optionalText }),
  body('fault', { error: AGENT_FAULT, fatal: z.boolean() }),
  body('hook', {
    phase: z.enum(['started', 'done']),
    name: text,
    id: optionalText,
    exitCode: count,
    output: optionalText,
  }),
  body('raw', { type: text, value: z.unknown(), truncated: flag }).describe(
    'An event that is unknown to this version: kept, shown, never dropped.',
  ),
]);

/** Every kind that this version knows. */
export const AGENT_EVENT_KINDS: readonly AgentBody['kind'][] = AGENT_BODY.options.map(({ shape }) => shape.kind.value);

/** Returns the body, or a sentence that names the fault. A kind of a later version passes. */
export function checkAgentBody(value: unknown): { readonly body: AgentBody } | { readonly fault: string } {
  const kind = (value as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string') return { fault: 'an event needs a kind' };
  if (!AGENT_EVENT_KINDS.includes(kind as AgentBody['kind'])) return { body: value as AgentBody };
  const result = AGENT_BODY.safeParse(value);
  if (result.success) return { body: value as AgentBody };
  const [issue] = result.error.issues;
  return { fault: `${kind}: ${issue!.message} (at ${issue!.path.join('.')})` };
}
