/**
 * Validates events and commands of agents where they enter: events from a driver, and commands from a client. Fields of a later
 * version pass; fields of this version must have their type. Keeps DRV-1.
 */
import { z } from 'zod';
import {
  AGENT_ID_CHARS_MAX,
  CLIENT_ID_CHARS_MAX,
  DATA_CHARS_MAX,
  DIGEST_CHARS_MAX,
  MIME_CHARS_MAX,
  PARTS_MAX,
  SLASH_NAME,
  TEXT_CHARS_MAX,
  URI_CHARS_MAX,
} from './command-limits.ts';
import { type Command, type Content } from './commands.ts';
import { type AgentBody, OPTION_KINDS, TOOL_KINDS } from './events.ts';

const text = z.string();
const optionalText = z.string().optional();
const count = z.number().optional();
const list = z.array(z.string()).optional();
const flag = z.boolean().optional();

const content = z.union([
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal('image'), mime: text, data: optionalText, uri: optionalText }),
  z.looseObject({ type: z.literal('resource'), uri: text, mime: optionalText, text: optionalText }),
  z.looseObject({ type: z.literal('other'), value: z.unknown() }),
]);
const contents = z.array(content).optional();
const tokens = z
  .looseObject({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count, total: count })
  .optional();
const fault = z.looseObject({
  code: text,
  message: text,
  httpStatus: z.number().nullable().optional(),
  retryable: flag,
});
const diff = z.looseObject({
  path: text,
  change: z.enum(['add', 'modify', 'delete', 'move']),
  movedTo: optionalText,
  unified: optionalText,
  hunks: z.array(z.looseObject({ oldStart: z.number(), newStart: z.number(), lines: z.array(text) })).optional(),
  oldText: z.string().nullable().optional(),
  newText: optionalText,
});
const option = z.looseObject({ id: text, label: text, kind: z.enum(OPTION_KINDS) });
const question = z.looseObject({
  id: text,
  text,
  header: optionalText,
  multi: flag,
  options: z.array(z.looseObject({ id: text, label: text, description: optionalText })),
  freeText: flag,
});
const planEntry = z.looseObject({ text, status: z.enum(['pending', 'in_progress', 'completed', 'deleted']) });
const part = { message: text, part: z.int().min(0), text };
const decidedBy = z.enum(['watcher', 'terminal', 'policy', 'agent', 'driver']);

const BODIES = {
  'session.started': { agentName: optionalText, agentSession: optionalText, model: optionalText, tools: list },
  'session.updated': { agentSession: optionalText, title: optionalText, model: optionalText, mode: optionalText },
  'session.reset': { reason: z.enum(['clear', 'compact', 'fork', 'other']), tokensBefore: count, tokensAfter: count },
  'session.ended': {
    exitCode: z.number().nullable().optional(),
    signal: z.string().nullable().optional(),
    reason: optionalText,
    agentSession: optionalText,
  },
  status: { state: z.enum(['starting', 'idle', 'working', 'waiting', 'ended']), detail: optionalText },
  'turn.started': { origin: z.enum(['user', 'queue', 'task', 'agent']), clientIds: list, prompt: contents },
  'turn.ended': {
    outcome: z.enum(['completed', 'interrupted', 'failed', 'refused', 'limit']),
    stopReason: optionalText,
    text: optionalText,
    error: fault.optional(),
    usage: tokens,
    costUsd: count,
    durationMs: count,
    moreQueued: count,
  },
  prompt: { state: z.enum(['queued', 'started', 'completed', 'cancelled', 'echo']), content: contents },
  queue: { prompts: z.array(z.looseObject({ clientId: text, content: z.array(content) })) },
  'message.delta': part,
  'message.done': { ...part, aborted: flag, synthetic: flag, isError: flag, truncated: flag },
  'message.retracted': { messages: z.array(text) },
  'thinking.delta': { ...part, tokens: count },
  'thinking.done': { ...part, durationMs: count },
  'tool.started': { tool: text, name: optionalText, toolKind: z.enum(TOOL_KINDS), title: optionalText, paths: list },
  'tool.input': { tool: text, partialJson: optionalText, title: optionalText, paths: list },
  'tool.output': {
    tool: text,
    mode: z.enum(['append', 'replace', 'tail']),
    stream: z.enum(['stdout', 'stderr', 'combined']),
    text,
  },
  'tool.progress': { tool: text, elapsedMs: count, note: optionalText },
  'tool.ended': {
    tool: text,
    status: z.enum(['ok', 'error', 'denied', 'cancelled', 'background']),
    output: contents,
    exitCode: count,
  },
  'file.changed': { tool: optionalText, phase: z.enum(['proposed', 'applied', 'failed']), diff },
  'permission.requested': {
    request: text,
    tool: optionalText,
    name: optionalText,
    toolKind: z.enum(TOOL_KINDS).optional(),
    title: optionalText,
    diffs: z.array(diff).optional(),
    options: z.array(option),
    digest: optionalText,
    bytes: count,
    isCut: flag,
  },
  'permission.resolved': {
    request: text,
    decision: z.enum(['allow', 'deny', 'cancelled', 'error']),
    by: decidedBy,
    who: optionalText,
    message: optionalText,
    name: optionalText,
    digest: optionalText,
    isInputChanged: flag,
  },
  'question.asked': {
    request: text,
    tool: optionalText,
    name: optionalText,
    questions: z.array(question),
    digest: optionalText,
    isCut: z.boolean().optional(),
  },
  'question.resolved': { request: text, decision: z.enum(['answered', 'declined', 'cancelled']) },
  'plan.updated': { replace: z.boolean(), entries: z.array(planEntry) },
  'command.refused': { command: text, do: text, code: text, message: text },
  task: {
    task: text,
    state: z.enum(['started', 'progress', 'backgrounded', 'completed', 'failed', 'stopped']),
    title: optionalText,
    usage: tokens,
  },
  'tasks.live': { tasks: z.array(z.looseObject({ task: text })) },
  usage: { scope: z.enum(['message', 'turn', 'session']), tokens, costUsd: count },
  quota: { name: optionalText, usedPercent: count, resetsAt: count },
  retry: { attempt: z.number(), max: count, delayMs: count, error: fault },
  notice: { level: z.enum(['info', 'warning', 'error']), text, code: optionalText },
  fault: { error: fault, fatal: z.boolean() },
  hook: { phase: z.enum(['started', 'done']), name: text, id: optionalText },
  raw: { type: text, value: z.unknown() },
} satisfies Record<AgentBody['kind'], z.core.$ZodLooseShape>;

/** Every kind that this version knows. */
export const AGENT_EVENT_KINDS = Object.keys(BODIES) as AgentBody['kind'][];

const SCHEMAS = new Map(
  Object.entries(BODIES).map(([kind, shape]) => [
    kind,
    z.looseObject({ kind: z.literal(kind), turn: optionalText, ...(shape as z.core.$ZodLooseShape) }),
  ]),
);

/** Returns the body, or a sentence that names the fault. A kind of a later version passes. */
export function checkAgentBody(value: unknown): { readonly body: AgentBody } | { readonly fault: string } {
  const kind = (value as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string') return { fault: 'an event needs a kind' };
  const schema = SCHEMAS.get(kind);
  if (!schema) return { body: value as AgentBody };
  const result = schema.safeParse(value);
  if (result.success) return { body: value as AgentBody };
  const [issue] = result.error.issues;
  return { fault: `${kind}: ${issue!.message} (at ${issue!.path.join('.')})` };
}

const clientId = z.string().min(1).max(CLIENT_ID_CHARS_MAX);
const sentText = z.string().max(TEXT_CHARS_MAX);
const sentContent = z
  .array(
    z.union([
      z.strictObject({ type: z.literal('text'), text: sentText }),
      z.strictObject({
        type: z.literal('image'),
        mime: z.string().max(MIME_CHARS_MAX),
        data: z.base64().max(DATA_CHARS_MAX).optional(),
        uri: z.string().max(URI_CHARS_MAX).optional(),
      }),
      z.strictObject({
        type: z.literal('resource'),
        uri: z.string().max(URI_CHARS_MAX),
        mime: z.string().max(MIME_CHARS_MAX).optional(),
        text: sentText.optional(),
      }),
      z.strictObject({ type: z.literal('other'), value: z.unknown() }),
    ]),
  )
  .min(1)
  .max(PARTS_MAX) as unknown as z.ZodType<readonly Content[]>;
const id = z.string().min(1).max(AGENT_ID_CHARS_MAX);
const digest = z.string().min(1).max(DIGEST_CHARS_MAX);

/** The schema of a client's command. It is strict: a field of a later version would change the effect (decision 030). */
export const AGENT_COMMAND_SCHEMA: z.ZodType<Command> = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('prompt'),
    content: sentContent,
    clientId,
    when: z.enum(['now', 'next', 'queue']).optional(),
  }),
  z.strictObject({ do: z.literal('editPrompt'), clientId, content: sentContent }),
  z.strictObject({ do: z.literal('movePrompt'), clientId, before: clientId.optional() }),
  z.strictObject({ do: z.literal('cancelPrompt'), clientId }),
  z.strictObject({ do: z.literal('sendPrompt'), clientId }),
  z.strictObject({ do: z.literal('interrupt'), alsoQueued: z.boolean().optional() }),
  z.strictObject({
    do: z.literal('permission'),
    request: id,
    digest: digest.optional(),
    option: id.optional(),
    behavior: z.enum(['allow', 'deny']).optional(),
    input: z.unknown().optional(),
    message: sentText.optional(),
    interrupt: z.boolean().optional(),
    once: z.boolean().optional(),
  }),
  z.strictObject({
    do: z.literal('answer'),
    request: id,
    digest: digest.optional(),
    answers: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ do: z.literal('setMode'), mode: id }),
  z.strictObject({ do: z.literal('setModel'), model: id }),
  z.strictObject({
    do: z.literal('slash'),
    name: z.string().regex(SLASH_NAME),
    args: sentText.optional(),
    clientId: clientId.optional(),
  }),
  z.strictObject({ do: z.literal('toolOutput'), tool: id }),
  z.strictObject({ do: z.literal('background'), tool: id.optional() }),
  z.strictObject({ do: z.literal('stopTask'), task: id }),
  z.strictObject({ do: z.literal('close') }),
]) as unknown as z.ZodType<Command>;
