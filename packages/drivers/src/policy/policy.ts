/**
 * The language of policies: rules that allow, ask or deny by tool, path and command, and the reader of their file. Keeps POL-1 and
 * POL-40.
 */
import type { ToolKind } from '@spool/protocol/agent';
import { isObject, listOf, textOf } from '../json-value.ts';

export type PolicyDecision = 'allow' | 'ask' | 'deny';

export interface PolicyRule {
  readonly decision: PolicyDecision;
  /** The name of a tool; `*` stands for any characters. Without a name, the rule is for every tool. */
  readonly tool?: string;
  /** The command, for tools that run commands: `git log *`. */
  readonly command?: string;
  /** The path, for tools that name files: `src/**`. */
  readonly path?: string;
  /** The value `any`: a `*` covers arguments that no grammar knows, and a rule for a tool covers any input. */
  readonly arguments?: 'any';
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
}

/** The request of an agent, as the policy sees it. */
export interface PolicyRequest {
  readonly tool: string;
  readonly toolKind: ToolKind;
  /** Whether the effect of the tool's input is known. */
  readonly isKnown: boolean;
  /** The shell line, if the tool runs one. */
  readonly line?: string;
  /** The words of a command that is run without a shell. */
  readonly words?: readonly string[];
  /** The files that the request names. */
  readonly paths: readonly string[];
  /** The folder in which the command runs, and to which paths are relative. */
  readonly cwd: string;
  /** The agent's folder: rules for paths are relative to it. */
  readonly folder: string;
  /** The parts of the request that are not understood, each as a sentence without its end. */
  readonly doubts: readonly string[];
  /** The texts under unknown keys that may be paths. */
  readonly possiblePaths: readonly string[];
  /** All texts under unknown keys. */
  readonly texts: readonly string[];
}

export interface PolicyVerdict {
  readonly decision: PolicyDecision;
  /** The rule in words, for the event that names it. */
  readonly rule?: string;
  readonly reason: string;
}

const KEYS: ReadonlySet<string> = new Set(['decision', 'tool', 'command', 'path', 'arguments']);

export function ruleText({ decision, tool, command, path, arguments: given }: PolicyRule): string {
  const parts = [
    decision,
    tool,
    command && `command ${command}`,
    path && `path ${path}`,
    given && `arguments ${given}`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Reads a policy file's JSON. A rule that is not understood is a fault and never skipped, because it may be a denial. */
export function readPolicy(value: unknown): { readonly policy: Policy } | { readonly fault: string } {
  if (!isObject(value) || !Array.isArray(value.rules)) return { fault: 'a policy is {"rules": [ … ]}' };
  const other = Object.keys(value).find((key) => key !== 'rules');
  if (other !== undefined) return { fault: `a policy has only "rules", not ${JSON.stringify(other)}` };
  const rules: PolicyRule[] = [];
  for (const [at, entry] of listOf(value.rules).entries()) {
    const fault = ruleFault(entry);
    if (fault !== undefined) return { fault: `rule ${at + 1}${fault}` };
    rules.push(entry as unknown as PolicyRule);
  }
  return { policy: { rules } };
}

/** Returns the fault of a rule, as the end of a sentence. */
function ruleFault(entry: unknown): string | undefined {
  if (!isObject(entry)) return ' is not an object';
  const { decision } = entry;
  if (decision !== 'allow' && decision !== 'ask' && decision !== 'deny') return ': decision must be allow, ask or deny';
  const unknown = Object.keys(entry).find((key) => !KEYS.has(key));
  if (unknown !== undefined) return ` has an unknown field ${JSON.stringify(unknown)}`;
  for (const key of ['tool', 'command', 'path'] as const) {
    const text = entry[key];
    if (text !== undefined && (textOf(text) ?? '').trim() === '') return `: ${key} must be a text`;
  }
  if (entry.arguments !== undefined && entry.arguments !== 'any') return ': arguments can only be "any"';
  if (decision === 'allow' && /^\S*\*/.test(textOf(entry.command)?.trim() ?? ''))
    return ': the name of an allowed command cannot be a pattern';
  return undefined;
}
