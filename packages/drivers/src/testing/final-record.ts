/**
 * Compares an agent's last records, read without a dialect, with the events: the ends of turns, the final texts of messages, the
 * output of tools.
 */
import type { AgentEvent } from '@spool/protocol/agent';
import type { DriverInput } from '../dialect.ts';
import type { DriverName } from '../dialects.ts';

type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- a reader of foreign JSON

export function finalRecord(
  agent: DriverName,
  inputs: readonly DriverInput[],
  events: readonly AgentEvent[],
): { readonly wanted: unknown; readonly got: unknown } {
  const lines = inputs.flatMap((input): Json[] => {
    if (input.type !== 'line' || input.stream !== 'stdout') return [];
    try {
      const value = JSON.parse(input.text) as Json;
      return [value.payload ?? value];
    } catch {
      return [];
    }
  });
  if (lines.some((line) => line['jsonrpc'] === '2.0')) return acpRecord(lines, events);
  if (agent === 'claude' || lines.some((line) => line['type'] === 'stream_event')) return claudeRecord(lines, events);
  if (agent === 'codex') return codexRecord(lines, events);
  if (agent === 'opencode') return opencodeRecord(lines, events);
  return streamRecord(lines, events);
}

/** Turns that the agent itself ended. */
function ended(events: readonly AgentEvent[]): (AgentEvent & { kind: 'turn.ended' })[] {
  return events.filter(
    (event): event is AgentEvent & { kind: 'turn.ended' } =>
      event.kind === 'turn.ended' &&
      event.evidence === 'wire' &&
      event.stopReason !== 'history' &&
      event.stopReason !== 'not-started',
  );
}

/** Returns the final texts, by message. */
function texts(events: readonly AgentEvent[]): Record<string, string> {
  const whole: Record<string, string> = {};
  for (const event of events)
    if (event.kind === 'message.done' && event.evidence === 'wire')
      whole[`${event.message} ${event.part}`] = event.text;
  return whole;
}

function claudeRecord(lines: readonly Json[], events: readonly AgentEvent[]): { wanted: unknown; got: unknown } {
  const results = lines.filter(({ type }) => type === 'result');
  const said = lines
    .filter(({ type }) => type === 'assistant')
    .flatMap(({ message }) => message.content.filter((block: Json) => block['type'] === 'text'));
  const tools = lines
    .filter(({ type, message }) => type === 'user' && Array.isArray(message.content))
    .flatMap(({ message }) => message.content.filter((block: Json) => block['type'] === 'tool_result'));
  return {
    wanted: {
      turns: results.map(({ is_error, result }) => [is_error === true, result ?? null]),
      said: said.map(({ text }) => text),
      tools: tools.map(({ tool_use_id }) => tool_use_id).sort(),
    },
    got: {
      turns: ended(events).map(({ error, text }, at) => [
        error !== undefined,
        results[at]?.['result'] === undefined ? null : (text ?? null),
      ]),
      said: events.flatMap((event) =>
        event.kind === 'message.done' && event.evidence === 'wire' && !isUnsaid(event) ? [event.text] : [],
      ),
      tools: events
        .flatMap((event) =>
          event.kind === 'tool.ended' && event.evidence === 'wire' && event.status !== 'cancelled' ? [event.tool] : [],
        )
        .sort(),
    },
  };
}

/** Whether a text was cut off by the end of its turn, without a separate record. */
function isUnsaid(event: AgentEvent): boolean {
  return event.kind === 'message.done' && event.aborted === true && event.raw !== undefined && event.text === '';
}

function codexRecord(lines: readonly Json[], events: readonly AgentEvent[]): { wanted: unknown; got: unknown } {
  const items = lines
    .filter(({ method, type }) => method === 'item/completed' || type === 'item.completed')
    .map((line) => (line['params'] ?? line).item as Json);
  const isMessage = (item: Json): boolean => ['agentMessage', 'agent_message', 'plan'].includes(item['type']);
  const isCommand = (item: Json): boolean => ['commandExecution', 'command_execution'].includes(item['type']);
  const ends: Json = { completed: 'completed', interrupted: 'interrupted', failed: 'failed' };
  const done = texts(events);
  const outputs: Record<string, string> = {};
  for (const event of events)
    if (event.kind === 'tool.output')
      outputs[event.tool] = event.mode === 'append' ? (outputs[event.tool] ?? '') + event.text : event.text;
  return {
    wanted: {
      turns: lines.flatMap(({ method, type, params }) => {
        if (method === 'turn/completed') return [ends[params.turn.status]];
        return type === 'turn.completed' ? ['completed'] : type === 'turn.failed' ? ['failed'] : [];
      }),
      texts: Object.fromEntries(items.filter(isMessage).map(({ id, text }) => [`${id} 0`, text])),
      outputs: Object.fromEntries(
        items
          .filter((item) => isCommand(item) && (item['aggregatedOutput'] ?? item['aggregated_output']))
          .map((item) => [item['id'], item['aggregatedOutput'] ?? item['aggregated_output']]),
      ),
    },
    got: {
      turns: ended(events).map(({ outcome }) => outcome),
      texts: Object.fromEntries(items.filter(isMessage).map(({ id }) => [`${id} 0`, done[`${id} 0`]])),
      outputs: Object.fromEntries(
        items
          .filter((item) => isCommand(item) && (item['aggregatedOutput'] ?? item['aggregated_output']))
          .map(({ id }) => [id, outputs[id]]),
      ),
    },
  };
}

function acpRecord(lines: readonly Json[], events: readonly AgentEvent[]): { wanted: unknown; got: unknown } {
  const updates = lines.filter(({ method }) => method === 'session/update').map(({ params }) => params.update as Json);
  const said = updates
    .filter(
      ({ sessionUpdate, content }) =>
        sessionUpdate === 'agent_message_chunk' && !content.text.startsWith('[MODE_UPDATE]'),
    )
    .map(({ content }) => content.text as string);
  const finished = updates
    .filter(({ toolCallId, status }) => toolCallId && (status === 'completed' || status === 'failed'))
    .map(({ toolCallId }) => toolCallId as string);
  return {
    wanted: {
      stops: lines.flatMap(({ result }) => (result?.stopReason ? [result.stopReason] : [])),
      said: said.join(''),
      tools: [...new Set(finished)].sort(),
    },
    got: {
      stops: ended(events)
        .flatMap(({ stopReason }) => (/^(end_turn|cancelled|refusal|max_)/.test(stopReason ?? '') ? [stopReason] : []))
        .slice(0, lines.filter(({ result }) => result?.stopReason).length),
      said: events.flatMap((event) => (event.kind === 'message.delta' ? [event.text] : [])).join(''),
      tools: events
        .flatMap((event) =>
          event.kind === 'tool.ended' &&
          (event.status === 'ok' ||
            event.status === 'error' ||
            (event.status === 'denied' && finished.includes(event.tool)))
            ? [event.tool]
            : [],
        )
        .sort(),
    },
  };
}

function opencodeRecord(lines: readonly Json[], events: readonly AgentEvent[]): { wanted: unknown; got: unknown } {
  const users = new Set(
    lines
      .filter(({ type, properties }) => type === 'message.updated' && properties.info.role === 'user')
      .map(({ properties }) => properties.info.id),
  );
  const final = new Map<string, string>();
  const results = new Map<string, string>();
  for (const line of lines) {
    const part = (line['properties']?.part ?? line['part']) as Json | undefined;
    if (!part) continue;
    const isWhole = line['part'] !== undefined || part['time']?.end !== undefined;
    if (part['type'] === 'text' && isWhole && !users.has(part['messageID'])) final.set(part['id'], part['text']);
    if (part['type'] === 'tool' && part['state'].status === 'completed')
      results.set(part['callID'], part['state'].output);
  }
  const shown = new Set(Object.values(texts(events)));
  const ends = new Map(events.flatMap((event) => (event.kind === 'tool.ended' ? [[event.tool, event] as const] : [])));
  return {
    wanted: { texts: [...final.values()], tools: [...results] },
    got: {
      texts: [...final.values()].filter((text) => shown.has(text)),
      tools: [...results.keys()].map((tool) => {
        const [content] = ends.get(tool)?.output ?? [];
        return [tool, content?.type === 'text' ? content.text : undefined];
      }),
    },
  };
}

/** Lines of Gemini's stream-json and Grok's streaming-json. */
function streamRecord(lines: readonly Json[], events: readonly AgentEvent[]): { wanted: unknown; got: unknown } {
  return {
    wanted: {
      ends: lines.filter(({ type }) => ['result', 'end', 'error'].includes(type)).length,
      said: lines
        .flatMap(({ type, role, content, data }) =>
          type === 'text' ? [data] : type === 'message' && role === 'assistant' ? [content] : [],
        )
        .join(''),
      tools: lines
        .flatMap(({ type, tool_id, toolCallId, status }) =>
          type === 'tool_result' || (type === 'tool_call_update' && (status === 'completed' || status === 'failed'))
            ? [tool_id ?? toolCallId]
            : [],
        )
        .sort(),
    },
    got: {
      ends: ended(events).filter(({ stopReason }) => stopReason !== 'next-prompt').length,
      said: events.flatMap((event) => (event.kind === 'message.done' ? [event.text] : [])).join(''),
      tools: events
        .flatMap((event) =>
          event.kind === 'tool.ended' && event.evidence === 'wire' && event.status !== 'cancelled' ? [event.tool] : [],
        )
        .sort(),
    },
  };
}
