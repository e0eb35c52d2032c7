/**
 * Reads the subject of an agent's permission request: its command, its files, and the parts of its input that are not understood.
 * Names of tools and inputs come from the agent's protocol; titles and descriptions are words of the model and decide nothing.
 * Keeps POL-7.
 */
import type { AgentBody, Command, ToolKind } from '@spool/protocol/agent';
import { isObject, type JsonObject, objectOf, textOf } from '../json-value.ts';
import { decide } from './decide.ts';
import { COMMAND_TOOL, knownTool } from './known-tools.ts';
import type { Policy, PolicyRequest, PolicyVerdict } from './policy.ts';
import type { PolicyFiles } from './policy-files.ts';
import { loginShellScript, unquoteWords } from './quoting.ts';
import { expandHome } from './real-path.ts';
import { InputReading } from './tool-input.ts';

type PermissionBody = Extract<AgentBody, { kind: 'permission.requested' }>;

/** A permission, as an agent asks for it. */
export interface PermissionRequest {
  readonly tool: string;
  readonly toolKind?: ToolKind | undefined;
  readonly input?: unknown;
  /** Files that the request names beside its input. */
  readonly paths?: readonly string[] | undefined;
  /** The agent's folder. */
  readonly cwd: string;
}

/** The kinds that describe the effect of a request. Other kinds reveal nothing about files or commands. */
const TELLING: ReadonlySet<ToolKind> = new Set<ToolKind>([
  'execute',
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'fetch',
]);

export function policyRequest(
  { tool, toolKind, input, paths = [], cwd }: PermissionRequest,
  home: string,
): PolicyRequest {
  const given = objectOf(input);
  const named = knownTool(tool);
  const kind = named?.kind ?? toolKind ?? 'other';
  const isCommand = kind === 'execute' || (kind === 'other' && 'command' in given);
  const known = named ?? (isCommand ? COMMAND_TOOL : undefined);
  const reading = new InputReading(known);
  if (input !== undefined && !isObject(input)) reading.doubt('the input is not an object');
  if (toolKind !== undefined && toolKind !== kind && TELLING.has(toolKind))
    reading.doubt(`the agent calls this ${toolKind}, and ${tool} is not`);
  reading.read(given);
  const folder = reading.folder ?? '.';
  const expanded = expandHome(folder, home);
  if (expanded === undefined || isChangeable(folder)) reading.doubt('the folder of the command cannot be known');
  const all = [...reading.paths, ...paths].map((path) => {
    const whole = expandHome(path, home);
    if (whole !== path) reading.doubt(`only a shell knows what ${JSON.stringify(path.slice(0, 100))} is`);
    if (isChangeable(path)) reading.doubt(`a tool may read ${JSON.stringify(path.slice(0, 100))} as another path`);
    return whole ?? path;
  });
  return {
    tool,
    toolKind: kind,
    isKnown: named !== undefined || kind === 'execute',
    folder: cwd,
    cwd: expanded === undefined ? cwd : expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`,
    paths: [...new Set(all)],
    ...(isCommand ? commandOf(given, reading, named?.wrapsLines === true) : {}),
    doubts: reading.doubts,
    possiblePaths: reading.possiblePaths,
    texts: reading.texts,
  };
}

/**
 * Returns whether tools change such a path before they open it: for blanks at its ends, another form of a letter, backslashes, an
 * address.
 */
function isChangeable(path: string): boolean {
  return path !== path.trim() || path !== path.normalize('NFC') || /\\|^[A-Za-z][\w+.-]*:\//.test(path);
}

/** Returns the command as a line for a shell, or as words that are run without a shell. */
function commandOf(
  { command }: JsonObject,
  reading: InputReading,
  isWrapped: boolean,
): Pick<PolicyRequest, 'line' | 'words'> {
  const line = textOf(command);
  if (line !== undefined) return { line: (isWrapped ? loginShellScript(unquoteWords(line) ?? []) : undefined) ?? line };
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === 'string')) {
    reading.doubt('the request does not say which command runs');
    return {};
  }
  const script = isWrapped ? loginShellScript(command) : undefined;
  return script === undefined ? { words: command } : { line: script };
}

/** Decides about a permission that an agent asks for; the only entry point of the policy. */
export function decidePermission(policy: Policy, ask: PermissionRequest, files: PolicyFiles): PolicyVerdict {
  return decide(policy, policyRequest(ask, files.home), files);
}

/** Returns the permission that an event asks for. */
export function permissionAsk(event: PermissionBody, cwd: string): PermissionRequest {
  return {
    tool: event.name ?? '',
    toolKind: event.toolKind,
    input: event.input,
    paths: (event.diffs ?? []).flatMap(({ path, movedTo }) => [path, ...(movedTo === undefined ? [] : [movedTo])]),
    cwd,
  };
}

/**
 * Returns the answer of the policy, with its rule; undefined if a person must decide. A rule may deny a request that only a person
 * may allow. A rule does not allow a request that is incomplete, or whose tool call differs from its input.
 */
export function policyCommand(
  policy: Policy,
  event: PermissionBody,
  cwd: string,
  files: PolicyFiles,
): { readonly command: Extract<Command, { do: 'permission' }>; readonly rule: string } | undefined {
  const { decision, rule, reason } = decidePermission(policy, permissionAsk(event, cwd), files);
  const isForPeople = event.humanOnly === true || event.call !== undefined || event.isCut === true;
  if (decision === 'ask' || rule === undefined || (decision === 'allow' && isForPeople)) return undefined;
  const message = decision === 'deny' ? { message: `Denied by a rule of the user: ${reason}.` } : {};
  const { request, digest } = event;
  const shown = digest === undefined ? {} : { digest };
  return { command: { do: 'permission', request, ...shown, behavior: decision, ...message }, rule };
}
