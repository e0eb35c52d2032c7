/**
 * `ls --format '{{.id}} {{.labels.team}}'`: a line per session. The fields are those of `--json`; `{{json .status}}` prints one
 * as JSON. `\t` and `\n` are a tab and a line break.
 */
import type { SessionInfo } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { UsageError } from '../command-line/usage-error.ts';
import { jsonText } from '../output/json-text.ts';
import { printCommand, printable } from '../output/printable.ts';
import { activityOf } from './session-table.ts';

/** Every field of a session, so that a mistyped one is detected; the compiler detects a forgotten one. */
const FIELDS: Readonly<Record<keyof SessionInfo, true>> = {
  id: true,
  name: true,
  state: true,
  status: true,
  exitCode: true,
  signal: true,
  pid: true,
  startedAt: true,
  endedAt: true,
  offset: true,
  firstOffset: true,
  command: true,
  cwd: true,
  size: true,
  labels: true,
  watchers: true,
  endedBy: true,
  sizePolicy: true,
  viewers: true,
  typed: true,
  trouble: true,
  milestone: true,
  title: true,
  lastOutputAt: true,
  isTask: true,
  taskName: true,
  timeoutMs: true,
  startedBy: true,
  driver: true,
  leftRunning: true,
};
/** The additional fields that the table shows. */
const SHOWN = {
  age: ({ startedAt }: SessionInfo, now: number) => shortDuration(now - startedAt),
  activity: (session: SessionInfo) => activityOf(session),
  command: ({ command }: SessionInfo) => printCommand(command),
} as const;

type TemplatePart = (session: SessionInfo, now: number) => string;

export function sessionTemplate(text: string): TemplatePart {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const { 0: whole, 1: inside, index } of text.matchAll(/\{\{(.*?)\}\}/gs)) {
    const before = unescaped(text.slice(at, index));
    if (before !== '') parts.push(() => before);
    parts.push(field(inside!.trim()));
    at = index + whole.length;
  }
  if (parts.length === 0)
    throw new UsageError(`--format ${JSON.stringify(text)} has no field; use {{.id}}, json or table`, 'ls');
  const rest = unescaped(text.slice(at));
  return (session, now) => parts.map((part) => part(session, now)).join('') + rest;
}

function field(inside: string): TemplatePart {
  const [, json, path] = /^(json\s+)?\.([\w.-]*)$/.exec(inside) ?? [];
  if (path === undefined)
    throw new UsageError(`--format: {{${inside}}} is not a field; use {{.name}} or {{json .}}`, 'ls');
  const names = path === '' ? [] : path.split('.');
  const [first] = names;
  if (first !== undefined && json === undefined && names.length === 1 && Object.hasOwn(SHOWN, first))
    return SHOWN[first as keyof typeof SHOWN];
  if (first === undefined ? json === undefined : !Object.hasOwn(FIELDS, first)) {
    const known = [...new Set([...Object.keys(FIELDS), ...Object.keys(SHOWN)])].join(', ');
    throw new UsageError(`--format: a session has no field ${JSON.stringify(path)}; the fields are ${known}`, 'ls');
  }
  return (session) => {
    const value = valueAt(session, names);
    if (json !== undefined) return jsonText(value ?? null);
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? jsonText(value) : printable(String(value));
  };
}

/** Returns the value at this path. Label names may contain dots: the longest existing name is used. */
function valueAt(value: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let length = names.length; length > 0; length--) {
    const name = names.slice(0, length).join('.');
    if (Object.hasOwn(value, name)) return valueAt((value as Record<string, unknown>)[name], names.slice(length));
  }
  return undefined;
}

const unescaped = (text: string): string => text.replace(/\\([tn\\])/g, (_, letter: string) => ESCAPED[letter]!);
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', '\\': '\\' };
