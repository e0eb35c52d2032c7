/**
 * Composes everything that a person sees before answering a permission: the input of the request, joined with the input and the
 * proposed changes of its tool call. The agent's words about a request (title, reason) are shown beside it, never instead of it.
 * Keeps REQ-1 and REQ-41.
 */
import type { Diff, PermissionOption } from '@spool/protocol/agent';
import { isObject } from '../json-value.ts';
import type { OpenTool } from './state.ts';

/**
 * The limit of a request as JSON. A record of the events log can hold a whole request of this size (`BATCH_CHARACTERS` of the
 * driver).
 */
export const REQUEST_BYTES_MAX = 240 * 1024;
/** The limit of a tool's input, and of one change, which are joined with a permission for the tool. */
const TOOL_CHARS_MAX = REQUEST_BYTES_MAX;
/** The limit of all open tools together. */
const TOOLS_CHARS_MAX = 2 * 1024 * 1024;

export interface RequestContent {
  readonly name?: string | undefined;
  readonly input?: unknown;
  readonly call?: unknown;
  readonly diffs?: readonly Diff[] | undefined;
  readonly options: readonly PermissionOption[];
}

/** Returns the content of a request, and whether a part of it was too long to be kept. */
export function describeContent(
  asked: Omit<RequestContent, 'call'>,
  tool: OpenTool | undefined,
): { readonly content: RequestContent; readonly isCut: boolean } {
  const { name, input, diffs = [], options } = asked;
  const call = typeof tool?.input === 'string' ? otherMembers(JSON.parse(tool.input), input) : undefined;
  const proposed = Object.values(tool?.diffs ?? {})
    .map((json) => JSON.parse(json) as Diff)
    .filter(({ path }) => !diffs.some((known) => known.path === path));
  const all = [...diffs, ...proposed];
  const content = {
    ...(name === undefined ? {} : { name }),
    ...(input === undefined ? {} : { input }),
    ...(call === undefined ? {} : { call }),
    ...(all.length === 0 ? {} : { diffs: all }),
    options,
  };
  return { content, isCut: tool?.input === null || tool?.diffs === null };
}

/** Returns the members of `call` that `input` lacks or that differ there; undefined if there are none. */
function otherMembers(call: unknown, input: unknown): unknown {
  if (JSON.stringify(call) === JSON.stringify(input)) return undefined;
  if (!isObject(call) || !isObject(input)) return call;
  const other = Object.entries(call).filter(
    ([key, value]) => !Object.hasOwn(input, key) || JSON.stringify(input[key]) !== JSON.stringify(value),
  );
  return other.length === 0 ? undefined : Object.fromEntries(other);
}

/** Keeps the latest input of a tool. */
export function keepInput(tools: Readonly<Record<string, OpenTool>>, tool: OpenTool, input: unknown): void {
  if (input === undefined) return;
  tool.input = null; // its earlier input no longer counts
  const json = JSON.stringify(input);
  if (hasRoom(tools, json)) tool.input = json;
}

/** Keeps a change that a tool proposes. */
export function keepDiff(tools: Readonly<Record<string, OpenTool>>, tool: OpenTool, diff: Diff): void {
  if (tool.diffs === null) return;
  const json = JSON.stringify(diff);
  const kept = (tool.diffs ??= Object.create(null) as Record<string, string>);
  delete kept[diff.path];
  if (hasRoom(tools, json)) kept[diff.path] = json;
  else tool.diffs = null;
}

function hasRoom(tools: Readonly<Record<string, OpenTool>>, json: string): boolean {
  if (json.length > TOOL_CHARS_MAX) return false;
  let kept = json.length;
  for (const { input, diffs } of Object.values(tools)) {
    kept += input?.length ?? 0;
    for (const each of Object.values(diffs ?? {})) kept += each.length;
  }
  return kept <= TOOLS_CHARS_MAX;
}
