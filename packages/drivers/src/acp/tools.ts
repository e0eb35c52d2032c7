/** Tool calls: created by the first message that names them, refined by updates, ended by their status. */
import type { Content, Diff, ToolKind } from '@spool/protocol/agent';
import { type JsonObject, isObject, listOf, numberOf, objectOf, present, textOf } from '../json-value.ts';
import type { AcpWork } from './state.ts';

const KINDS: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch']);
/** The name that Gemini reports. */
const GEMINI = 'gemini-cli';
/**
 * The name that OpenCode reports. OpenCode starts a call with the tool's own name as the title. The title is good enough for
 * display, and no rule sees it.
 */
const OPENCODE = 'OpenCode';
const GEMINI_SHELL = 'run_shell_command';
/** The limit of output that is repeated at the end of a tool. */
const OUTPUT_CHARS_MAX = 64 * 1024;

export function toolCall(work: AcpWork, call: JsonObject): void {
  const { ledger, state } = work;
  const id = textOf(call.toolCallId);
  if (id === undefined || ledger.hasEnded(id)) return;
  work.detail = 'tool';
  describeTool(work, id, call);
  const contents = parseContents(call.content);
  const isEnded = call.status === 'completed' || call.status === 'failed';
  for (const diff of diffsOf(call.content)) showDiff(work, id, diff, call.status);
  const text = contents.flatMap((content) => (content.type === 'text' ? [content.text] : [])).join('');
  const isInput = state.asked && Object.values(state.asked).some(({ tool }) => tool === id);
  if (text !== '' && !isInput && call.status !== 'pending') ledger.setOutput(id, text);
  if (!isEnded) return;
  const raw = objectOf(call.rawOutput);
  const isDenied = state.denied.includes(id) || isRejection(call);
  ledger.toolGoesOn(id, isDenied);
  ledger.endTool(id, {
    status: call.status === 'completed' ? 'ok' : isDenied ? 'denied' : 'error',
    output: contents.length > 0 ? contents.map(shortened) : undefined,
    exitCode: numberOf(raw.exit_code) ?? numberOf(raw.exitCode),
  });
  forget(work, id);
}

function describeTool(work: AcpWork, id: string, call: JsonObject): void {
  const { ledger } = work;
  const name = nameOf(work, id, call);
  const title = textOf(call.title);
  const paths = listOf(call.locations).flatMap((location) => textOf(objectOf(location).path) ?? []);
  const input = inputOf(work, call);
  const isNews = title !== undefined || input !== undefined || paths.length > 0;
  if (ledger.hasTool(id) && !isNews) return;
  ledger.startTool(id, {
    // The title is never used, because it may be words of the model.
    name: name ?? (ledger.hasTool(id) ? undefined : shownName(work, call)),
    toolKind: parseToolKind(call.kind),
    title,
    input,
    ...(paths.length > 0 ? { paths } : {}),
  });
}

/** Returns a name for a tool that the protocol does not name. */
function shownName({ state }: AcpWork, { kind, title }: JsonObject): string {
  return state.agentName === OPENCODE && /^\w+$/.test(textOf(title) ?? '') ? String(title) : parseToolKind(kind);
}

function nameOf({ state }: AcpWork, id: string, call: JsonObject): string | undefined {
  const meta = objectOf(call._meta);
  const name = textOf(call.name) ?? textOf(objectOf(meta.claudeCode).toolName) ?? textOf(meta.toolName);
  // Gemini names its tools only in the id of a call. Its titles are words of the model, which must not pass for a name.
  return name ?? (state.agentName === GEMINI ? /^(\w+?)__/.exec(id)?.[1] : undefined);
}

/** Returns the name of the tool for which an agent asks: its own name, or the kind in the request itself. */
export function askedName(work: AcpWork, id: string | null, call: JsonObject): string | undefined {
  const known = id === null || work.state.agentName === OPENCODE ? undefined : work.ledger.toolName(id);
  const isKind = known === undefined || known === '' || known === parseToolKind(known);
  return nameOf(work, id ?? '', call) ?? (isKind && call.kind !== undefined ? parseToolKind(call.kind) : known);
}

/**
 * Returns whether the request has its input from the protocol. Otherwise the title is shown in its place, and must not satisfy a
 * rule.
 */
export function hasRawInput({ rawInput }: JsonObject): boolean {
  return isObject(rawInput) && Object.keys(rawInput).length > 0;
}

/**
 * Returns the input of a call. Gemini reports none, but the title of its shell tool is the command, or in some versions the model's
 * description of it.
 */
export function inputOf(work: AcpWork, call: JsonObject): unknown {
  const { rawInput, title } = call;
  if (hasRawInput(call)) return rawInput;
  const isShell = nameOf(work, textOf(call.toolCallId) ?? '', call) === GEMINI_SHELL && call.kind === 'execute';
  return isShell && work.state.agentName === GEMINI && typeof title === 'string' ? { command: title } : undefined;
}

export function parseToolKind(kind: unknown): ToolKind {
  if (kind === 'switch_mode') return 'mode';
  return typeof kind === 'string' && KINDS.has(kind) ? (kind as ToolKind) : 'other';
}

function showDiff({ state, ledger }: AcpWork, tool: string, diff: Diff, status: unknown): void {
  const phase = status === 'completed' ? 'applied' : status === 'failed' ? 'failed' : 'proposed';
  const print = fingerprint(`${phase} ${JSON.stringify(diff)}`);
  if (state.diffs[tool] === print) return;
  state.diffs[tool] = print;
  ledger.emit({ kind: 'file.changed', tool, phase, diff });
}

function forget({ state }: AcpWork, tool: string): void {
  delete state.diffs[tool];
  state.denied = state.denied.filter((denied) => denied !== tool);
}

export function diffsOf(value: unknown): Diff[] {
  return listOf(value).flatMap((item): Diff[] => {
    const { type, path, oldText, newText } = objectOf(item);
    const file = textOf(path);
    if (type !== 'diff' || file === undefined) return [];
    const before = textOf(oldText);
    return [
      {
        path: file,
        // Gemini and Grok report an empty earlier text for a new file.
        change: before === undefined || before === '' ? 'add' : 'modify',
        oldText: before ?? null,
        newText: textOf(newText) ?? '',
      },
    ];
  });
}

function parseContents(value: unknown): Content[] {
  return listOf(value).flatMap((item): Content[] => {
    const { type, content, terminalId } = objectOf(item);
    if (type === 'content') return [blockContent(content)];
    return type === 'terminal' ? [{ type: 'other', value: { terminalId } }] : [];
  });
}

export function blockContent(value: unknown): Content {
  const block = objectOf(value);
  const text = textOf(block.text);
  if (block.type === 'text' && text !== undefined) return { type: 'text', text };
  if (block.type === 'image')
    return {
      type: 'image',
      mime: textOf(block.mimeType) ?? 'image/png',
      ...present({ data: textOf(block.data), uri: textOf(block.uri) }),
    };
  const resource = block.type === 'resource' ? objectOf(block.resource) : block;
  const uri = textOf(resource.uri);
  if (uri === undefined) return { type: 'other', value };
  return { type: 'resource', uri, ...present({ mime: textOf(resource.mimeType), text: textOf(resource.text) }) };
}

function shortened(content: Content): Content {
  if (content.type !== 'text' || content.text.length <= OUTPUT_CHARS_MAX) return content;
  return { type: 'text', text: `${content.text.slice(0, OUTPUT_CHARS_MAX)}…` };
}

function isRejection(call: JsonObject): boolean {
  return objectOf(objectOf(call._meta).claudeCode).nonExecutionKind !== undefined && call.status === 'failed';
}

/** Returns a short text by which two texts can be compared. */
function fingerprint(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}:${value >>> 0}`;
}
