/**
 * Who may do what without being asked: `allow`, `ask` and `deny` rules by tool, path and command. Deny wins, and what no rule knows is
 * asked. A shell line is parsed: it is allowed only if every command in it is. Without a policy nothing is allowed. Keeps POL-1, POL-2,
 * POL-3.
 */
import { isObject, listOf, textOf } from '../json-value.ts';
import { escapeIn } from './escapes.ts';
import { allows, denies, matchesGlob, matchesPath, plainPath } from './patterns.ts';
import { readShellLine, type Segment } from './shell-line.ts';

export interface PolicyRule {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The name of a tool; `*` stands for any characters. Without one, every tool. */
  readonly tool?: string;
  /** For tools that run commands: `git log *`. */
  readonly command?: string;
  /** For tools that name files: `src/**`. */
  readonly path?: string;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
}

/** What an agent wants to do. */
export interface PolicyRequest {
  readonly tool: string;
  /** The shell line, if the tool runs one. */
  readonly command?: string;
  readonly paths?: readonly string[];
  readonly cwd: string;
}

export interface PolicyAnswer {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** The rule in words, for the event that names it. */
  readonly rule?: string;
  readonly reason: string;
}

export function decide(policy: Policy, request: PolicyRequest): PolicyAnswer {
  const rules = policy.rules.filter(({ tool }) => tool === undefined || matchesGlob(tool, request.tool));
  if (request.command !== undefined) return decideCommand(rules, request.command);
  return request.paths && request.paths.length > 0
    ? decidePaths(rules, request.paths, request.cwd)
    : decideTool(rules, request.tool);
}

function decideCommand(rules: readonly PolicyRule[], command: string): PolicyAnswer {
  const { segments, doubts } = readShellLine(command);
  const about = rules.filter(({ path }) => path === undefined);
  for (const decision of ['deny', 'ask'] as const) {
    const own = about.filter((rule) => rule.decision === decision);
    const rule = own.find(({ command: pattern }) =>
      pattern === undefined ? true : segments.some(({ words }) => denies(pattern, words)),
    );
    if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
  }
  const allowing = about.filter((rule) => rule.decision === 'allow');
  const all = allowing.find(({ command: pattern }) => pattern === undefined);
  if (all) return { decision: 'allow', rule: ruleText(all), reason: `${ruleText(all)} allows every command` };
  if (doubts.length > 0) return { decision: 'ask', reason: `the line ${doubts.join(', ')}` };
  if (segments.length === 0) return { decision: 'ask', reason: 'the line has no command' };
  const used = new Set<string>();
  for (const segment of segments) {
    const rule = allowing.find(({ command: pattern }) => isAllowed(pattern!, segment));
    if (!rule)
      return { decision: 'ask', reason: `no rule allows ${JSON.stringify(segment.words.join(' ').slice(0, 100))}` };
    used.add(ruleText(rule));
  }
  return { decision: 'allow', rule: [...used].join('; '), reason: 'every command is allowed' };
}

function isAllowed(pattern: string, { words }: Segment): boolean {
  if (!allows(pattern, words)) return false;
  const escape = escapeIn(words);
  return escape === undefined || pattern.trim().split(/\s+/).includes(escape);
}

function decidePaths(rules: readonly PolicyRule[], paths: readonly string[], cwd: string): PolicyAnswer {
  const plain = paths.map((path) => plainPath(path, cwd));
  const about = rules.filter(({ command }) => command === undefined);
  const covers = ({ path: pattern }: PolicyRule, path: string | undefined): boolean =>
    pattern === undefined || (path !== undefined && matchesPath(pattern, path, cwd));
  for (const decision of ['deny', 'ask'] as const) {
    const rule = about.find((known) => known.decision === decision && plain.some((path) => covers(known, path)));
    if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
  }
  const used = new Set<string>();
  for (const path of plain) {
    const rule = about.find((known) => known.decision === 'allow' && path !== undefined && covers(known, path));
    if (!rule) return { decision: 'ask', reason: `no rule allows ${JSON.stringify(path ?? 'this path')}` };
    used.add(ruleText(rule));
  }
  return { decision: 'allow', rule: [...used].join('; '), reason: 'every path is allowed' };
}

/** A tool without a command and without paths: only rules about the tool alone count, and only those that name it. */
function decideTool(rules: readonly PolicyRule[], tool: string): PolicyAnswer {
  const about = rules.filter(({ command, path }) => command === undefined && path === undefined);
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const rule = about.find((known) => known.decision === decision);
    if (rule) return { decision, rule: ruleText(rule), reason: `${ruleText(rule)} matches` };
  }
  return { decision: 'ask', reason: `no rule is about ${tool}` };
}

export function ruleText({ decision, tool, command, path }: PolicyRule): string {
  return [decision, tool, command && `command ${command}`, path && `path ${path}`].filter(Boolean).join(' ');
}

/** Reads a policy file's JSON. A rule that is not understood is a fault, never left out: it may be a denial. */
export function readPolicy(value: unknown): { readonly policy: Policy } | { readonly fault: string } {
  if (!isObject(value) || !Array.isArray(value.rules)) return { fault: 'a policy is {"rules": [ … ]}' };
  const rules: PolicyRule[] = [];
  for (const [at, entry] of listOf(value.rules).entries()) {
    const where = `rule ${at + 1}`;
    if (!isObject(entry)) return { fault: `${where} is not an object` };
    const { decision } = entry;
    if (decision !== 'allow' && decision !== 'ask' && decision !== 'deny')
      return { fault: `${where}: decision must be allow, ask or deny` };
    const unknown = Object.keys(entry).find((key) => !['decision', 'tool', 'command', 'path'].includes(key));
    if (unknown !== undefined) return { fault: `${where} has an unknown field ${JSON.stringify(unknown)}` };
    for (const key of ['tool', 'command', 'path'] as const) {
      const text = entry[key];
      if (text !== undefined && (textOf(text) ?? '').trim() === '') return { fault: `${where}: ${key} must be a text` };
    }
    if (decision === 'allow' && textOf(entry.command)?.trim().startsWith('*'))
      return { fault: `${where}: the name of an allowed command cannot be a pattern` };
    rules.push(entry as unknown as PolicyRule);
  }
  return { policy: { rules } };
}
