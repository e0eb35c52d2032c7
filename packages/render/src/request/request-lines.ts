/**
 * Shows a whole request of an agent: the tool, every member of its input, the proposed changes, and the effects of its options.
 * The agent's words about it (title, reason) come last and are marked as such. All views that show a request to a user who may
 * answer it use these lines. Keeps REQ-1, REQ-2.
 */
import { say, type VisibleText } from '@spool/protocol/visible-text';
import type { PermissionOption } from '@spool/protocol/agent';
import { type Line, type SpanStyle, plainText, repeated, type Span, span } from '../lines.ts';
import type { AgentRequestEvent } from '../transcript/entries.ts';
import { diffRows } from './change-rows.ts';
import { exactSpans, hardRows, LINE_MARK, markedRows, type RowPlace, textRows } from './exact-rows.ts';
import { wrap } from '../wrap.ts';
import { characterNotes } from './notable-characters.ts';
import { memberRows, valueRows } from './value-rows.ts';
import { INDENT_CELLS, quoteText } from './values.ts';

/** The shown fields of a permission. */
export type ShownPermission = Pick<
  Extract<AgentRequestEvent, { readonly kind: 'permission.requested' }>,
  'kind' | 'name' | 'title' | 'reason' | 'input' | 'call' | 'diffs' | 'options' | 'bytes' | 'isCut'
>;
/** The shown fields of a question. */
export type QuestionAsk = Pick<
  Extract<AgentRequestEvent, { readonly kind: 'question.asked' }>,
  'kind' | 'questions' | 'schema' | 'input' | 'isCut'
>;
export type RequestAsk = ShownPermission | QuestionAsk;

const TEXTS_DEPTH_MAX = 12;
const LABEL_CHARACTERS_MAX = 60;
const ASK: SpanStyle = { tone: 'ask', bold: true };
const FAINT: SpanStyle = { dim: true };
const WARNING: SpanStyle = { tone: 'warning' };

/** Returns all of a request, in rows of at most `width` cells. */
export function requestLines(ask: RequestAsk, width: number): Line[] {
  const { request, options } = requestParts(ask, width);
  return [...request, ...options];
}

/**
 * Returns the lines of a request in two parts: the requested action, and the additional effects of its options. An answer without
 * such an option needs only the first part.
 */
export function requestParts(
  ask: RequestAsk,
  width: number,
): { readonly request: readonly Line[]; readonly options: readonly Line[] } {
  if (ask.kind === 'question.asked') return { request: questionLines(ask, width), options: [] };
  const place: RowPlace = { width, indent: INDENT_CELLS };
  const notes = characterNotes(textsIn(ask.options));
  return {
    request: permissionLines(ask, width),
    options: [
      ...ask.options.flatMap((option) => effectRows(option, place)),
      ...notes.flatMap((note) => noteRows(say`in the options: ${note}`, place, WARNING)),
    ],
  };
}

/** Returns whether an option does more than its key or button can express. */
export function isExplained({ label, effect }: PermissionOption): boolean {
  return effect !== undefined || label.length > LABEL_CHARACTERS_MAX;
}

/** Returns all of a request as plain text. */
export function requestText(ask: RequestAsk, width: number): string {
  return requestLines(ask, width).map(plainText).join('\n');
}

/**
 * Returns the lines that fit into `rows`, and the number of those that do not. If some do not fit, one row is left free for the
 * caller's note about them.
 */
export function fitLines(
  lines: readonly Line[],
  rows: number,
): { readonly lines: readonly Line[]; readonly hidden: number } {
  if (lines.length <= rows) return { lines, hidden: 0 };
  const shown = lines.slice(0, Math.max(0, rows - 1));
  return { lines: shown, hidden: lines.length - shown.length };
}

function permissionLines(ask: ShownPermission, width: number): Line[] {
  const { name, input, call, diffs = [], bytes, isCut } = ask;
  const place: RowPlace = { width, indent: INDENT_CELLS };
  return [
    ...hardRows([span('? Allow ', ASK), ...exactSpans(name ?? 'this', ASK), span('?', ASK)], { width, indent: 0 }),
    ...(isCut === true ? cutRows(bytes, place) : []),
    ...inputRows(input, place),
    ...(call === undefined ? [] : callRows(call, isEmpty(input), place)),
    ...diffs.flatMap((diff) => diffRows(diff, place, shownTexts(input))),
    ...characterNotes(textsIn({ name, input, call, diffs })).flatMap((note) => noteRows(note, place, WARNING)),
    ...agentRows(ask, place),
  ];
}

function cutRows(bytes: number | undefined, place: RowPlace): Line[] {
  const size = bytes === undefined ? say`` : say` (${bytes} bytes)`;
  return noteRows(say`this request is too large to be kept whole${size}: it can only be denied`, place, {
    tone: 'error',
  });
}

function inputRows(input: unknown, place: RowPlace): Line[] {
  if (input === undefined) return [];
  if (isMembers(input) && Object.keys(input).length > 0) return memberRows(input, place);
  return valueRows(say`─ the input`, input, place);
}

function callRows(call: unknown, isInputEmpty: boolean, place: RowPlace): Line[] {
  const label = isInputEmpty ? say`─ the input of the tool call` : say`─ the tool call says otherwise`;
  return valueRows(label, call, place);
}

/** Shows the effect of an option as one line of JSON: it consists of settings of the agent, whose form depends on the agent. */
function effectRows(option: PermissionOption, place: RowPlace): Line[] {
  const { label, effect } = option;
  if (!isExplained(option)) return [];
  if (effect === undefined) return valueRows(say`─ an option`, label, place);
  const head = span(say`─ the option ${quoteText(label)} changes: `, FAINT);
  return hardRows([head, ...exactSpans(JSON.stringify(effect), FAINT)], place);
}

/** Returns the texts that the members of an input show: a change with the same text need not repeat it. */
function shownTexts(input: unknown): ReadonlySet<string> {
  return new Set(isMembers(input) ? Object.values(input).filter((member) => typeof member === 'string') : []);
}

/**
 * Shows the agent's words about its request, unless they only repeat the name of the tool or the beginning of a member of the input.
 */
function agentRows({ name = '', title, reason, input, call }: ShownPermission, place: RowPlace): Line[] {
  const members = [input, call].flatMap((value) => (isMembers(value) ? Object.values(value) : [value]));
  // Only strings: the `toString` of an agent's object may be anything, and calling it would throw.
  const known = members.flatMap((member) => {
    if (typeof member === 'string') return [member];
    return Array.isArray(member) && member.every((word) => typeof word === 'string') ? [member.join(' ')] : [];
  });
  const says = (text: string | undefined): text is string => {
    if (text === undefined) return false;
    const words = [`${name}: `, `${name} `].reduce(
      (rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest),
      text,
    );
    const begun = words.replace(/…$/u, '');
    return begun !== '' && begun !== name && !known.some((member) => member === words || member.startsWith(begun));
  };
  return [...new Set([title, reason].filter(says))].flatMap((text) =>
    valueRows(say`─ the agent says`, text, place, { look: FAINT }),
  );
}

function noteRows(note: VisibleText, place: RowPlace, look: SpanStyle): Line[] {
  const indent = repeated(' ', place.indent);
  return wrap([{ text: note, look }], place.width, {
    first: [span(say`${indent}─ `, look)],
    rest: [span(say`${indent}  `)],
  });
}

function questionLines({ questions, schema, input, isCut }: QuestionAsk, width: number): Line[] {
  const place: RowPlace = { width, indent: INDENT_CELLS };
  const texts = textsIn([questions, input]);
  const isTooLarge = say`this question is too large to be kept whole: it can only be declined`;
  return [
    ...(isCut === true ? noteRows(isTooLarge, place, { tone: 'error' }) : []),
    ...questions.flatMap(({ text, options, header }) => [
      ...questionRows(text, width),
      ...(header === undefined || header === '' ? [] : valueRows(say`─ the header`, header, place)),
      ...options.flatMap(({ label, description }, at) => optionRows(at, label, description, place)),
    ]),
    ...(schema === undefined ? [] : valueRows(say`─ the form`, schema, place)),
    ...(input === undefined ? [] : valueRows(say`─ the input beside the questions`, input, place)),
    ...characterNotes(texts).flatMap((note) => noteRows(note, place, WARNING)),
  ];
}

function questionRows(text: string, width: number): Line[] {
  const [first = '', ...rest] = text.split('\n');
  return [
    ...hardRows(exactSpans(first, ASK), { width, indent: 0 }, span('? ', ASK)),
    ...rest.flatMap((line) => markedRows(LINE_MARK, exactSpans(line, ASK), { width, indent: 0 }, ASK)),
  ];
}

function optionRows(at: number, label: string, description: string | undefined, place: RowPlace): Line[] {
  const number: Span = span(say`${at + 1}. `);
  return [
    ...(label.includes('\n')
      ? [...hardRows([number], place), ...textRows(label, { ...place, indent: place.indent + INDENT_CELLS })]
      : hardRows(exactSpans(label), place, number)),
    ...(description === undefined || description === ''
      ? []
      : textRows(description, { ...place, indent: place.indent + INDENT_CELLS }, FAINT)),
  ];
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isMembers(value) && Object.keys(value).length === 0);

/** Returns every key and every text in a value; deeper values become one text, so that no nesting is too deep. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (depth > TEXTS_DEPTH_MAX) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...textsIn(each, depth + 1),
  ]);
}
