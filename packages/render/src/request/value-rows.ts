/**
 * Shows a value as a tree of keys and values: every member, nested, with indexes for lists. No part is left out, folded or
 * interpreted as markup. Keeps REQ-1.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import { type Line, type SpanStyle, PLAIN, type Span, span } from '../lines.ts';
import { changedTextRows } from './change-rows.ts';
import { exactSpans, hardRows, type RowPlace, textRows } from './exact-rows.ts';
import { joinCommand, INDENT_CELLS, keyText, stringText } from './values.ts';

/** The maximum depth of the tree: deeper values become one line of JSON, because their indentation would leave no room. */
const DEPTH_MAX = 8;

/** Members that describe what a tool does come first, whatever their order in the input. */
const FIRST_KEYS = [
  'command',
  'cmd',
  'script',
  'code',
  'file_path',
  'filePath',
  'target_file',
  'path',
  'url',
  'plan',
  'old_string',
  'oldString',
  'new_string',
  'newString',
  'content',
];
/** Members with the agent's own description come last. */
const LAST_KEYS = ['description', 'title', 'reason', 'justification', 'explanation'];

const COMMAND_KEYS: ReadonlySet<string> = new Set(['command', 'cmd', 'script', 'code']);
/** The names that agents use for the two texts of an edit. */
const EDITS: readonly (readonly [string, string])[] = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
];

type Members = Readonly<Record<string, unknown>>;

/** Returns the members of an input. */
export function memberRows(members: Members, place: RowPlace, depth = 0): Line[] {
  const edit = EDITS.find(
    ([before, after]) => typeof members[before] === 'string' && typeof members[after] === 'string',
  );
  return orderedKeys(members).flatMap((key) => {
    if (edit?.[1] === key) return [];
    if (edit?.[0] === key) return editRows(members, edit, place);
    const look: SpanStyle = COMMAND_KEYS.has(key) ? { tone: 'code' } : PLAIN;
    return valueRows(keyText(key), members[key], place, { depth, look, isCommand: COMMAND_KEYS.has(key) });
  });
}

function orderedKeys(members: Members): readonly string[] {
  const keys = Object.keys(members);
  const rank = (key: string): number => {
    const first = FIRST_KEYS.indexOf(key);
    if (first !== -1) return first;
    return LAST_KEYS.includes(key) ? FIRST_KEYS.length + 1 : FIRST_KEYS.length;
  };
  return keys.toSorted((a, b) => rank(a) - rank(b));
}

function editRows(members: Members, [before, after]: readonly [string, string], place: RowPlace): Line[] {
  const label = say`${visible(before)} → ${visible(after)}:`;
  const inner = { ...place, indent: place.indent + INDENT_CELLS };
  return [
    ...hardRows([keySpan(label)], place),
    ...changedTextRows(members[before] as string, members[after] as string, inner),
  ];
}

export interface ValueOptions {
  readonly depth?: number;
  readonly look?: SpanStyle;
  readonly isCommand?: boolean;
}

/** Returns a value behind its label: in the same row, or in the rows below it. */
export function valueRows(label: VisibleText, value: unknown, place: RowPlace, options: ValueOptions = {}): Line[] {
  const { depth = 0, look = PLAIN, isCommand = false } = options;
  if (typeof value === 'string') return stringRows(label, value, place, look);
  if (typeof value !== 'object' || value === null) return lineRows(label, String(value), place, look);
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  if (size === 0) return lineRows(label, isList ? '[]' : '{}', place, look);
  if (isCommand && isList && value.every((word) => typeof word === 'string'))
    return wordsRows(label, value, place, look);
  if (depth >= DEPTH_MAX) return lineRows(say`${label} (as JSON)`, JSON.stringify(value), place, look);
  const inner = { ...place, indent: place.indent + INDENT_CELLS };
  return [
    ...hardRows([keySpan(say`${label}:`)], place),
    ...(isList
      ? value.flatMap((each: unknown, at) => valueRows(say`[${at}]`, each, inner, { depth: depth + 1 }))
      : memberRows(value as Members, inner, depth + 1)),
  ];
}

function stringRows(label: VisibleText, text: string, place: RowPlace, look: SpanStyle): Line[] {
  return text.includes('\n') ? blockRows(label, text, place, look) : lineRows(label, stringText(text), place, look);
}

function wordsRows(label: VisibleText, words: readonly string[], place: RowPlace, look: SpanStyle): Line[] {
  const text = joinCommand(words);
  const counted = say`${label} (${words.length} words)`;
  return text.includes('\n') ? blockRows(counted, text, place, look) : lineRows(counted, text, place, look);
}

function blockRows(label: VisibleText, text: string, place: RowPlace, look: SpanStyle): Line[] {
  const inner = { ...place, indent: place.indent + INDENT_CELLS };
  return [...hardRows([keySpan(say`${label}:`)], place), ...textRows(text, inner, look)];
}

function lineRows(label: VisibleText, text: string, place: RowPlace, look: SpanStyle): Line[] {
  return hardRows([keySpan(say`${label}: `), ...exactSpans(text, look)], place);
}

const keySpan = (text: VisibleText): Span => span(text, { bold: true });
