/**
 * A rule-test case: a screen that a user has saved, with what the session was really doing (`spool explain --save`). The
 * rules are applied to it as to a session that shows this screen and does nothing else. Keeps STATE-9.
 */
import { type Status, type StatusSource, type StatusState, UNKNOWN_STATUS } from '@spool/protocol';
import { StatusReducer } from './reducer.ts';
import { type Json, list, number, only, record, Refusal, shown } from './rule-json.ts';
import type { RuleSet, RuleState } from './rules.ts';
import type { ScreenView } from './sources/screen-lines.ts';

export interface RuleCase {
  /** What the session was doing, as the user says. */
  readonly should: RuleState;
  readonly note: string;
  readonly command: readonly string[];
  /** The agent that was known, also when nothing on this screen shows it. */
  readonly agent: string | null;
  readonly view: ScreenView;
}

export interface CaseVerdict {
  readonly state: StatusState;
  readonly rule: string | null;
  readonly source: StatusSource;
  readonly why: string;
}

const ROWS_MAX = 1000;
const COLUMNS_MAX = 10_000;
const TEXT_CHARACTERS_MAX = 20_000;
const WORDS_MAX = 1000;
/** Long enough for every reading to count, and not so long that a title no longer counts. */
const STILL_MS = 4000;
/** It is past its start. */
const STARTED_AT = -60_000;

/** The case, or a sentence that says what is wrong with the file. */
export function parseCase(file: string, json: unknown): { readonly found: RuleCase } | { readonly error: string } {
  try {
    return { found: ruleCase(json) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: `${file}: ${error.message}` };
  }
}

/** What these rules read on the screen, once it has stood still. */
export function runCase(rules: readonly RuleSet[], { command, agent, view }: RuleCase): CaseVerdict {
  const reducer = new StatusReducer({
    rules,
    command,
    startedAt: STARTED_AT,
    ...(agent !== null && { status: known(agent) }),
  });
  reducer.output(1, 0, 1);
  reducer.screen(view, 0, 1);
  for (let at = reducer.nextCheckAt; at !== null && at <= STILL_MS; at = reducer.nextCheckAt) reducer.tick(at);
  const { state, source, evidence } = reducer.status;
  return { state, source, rule: evidence[0]?.rule ?? null, why: evidence[0]?.why ?? 'nothing is known yet' };
}

function ruleCase(json: unknown): RuleCase {
  const file = part('the file', () => record(json));
  const keys = ['should', 'note', 'savedAt', 'command', 'agent', 'size', 'screen', 'read', 'comment'];
  part('the file', () => only(file, keys));
  const { should, agent, note = '' } = file;
  if (should !== 'working' && should !== 'blocked' && should !== 'idle')
    throw new Refusal(`"should" must be working, blocked or idle, not ${shown(should)}`);
  return {
    should,
    note: text(note, '"note"'),
    command: texts(file, 'command', WORDS_MAX),
    agent: agent === null || agent === undefined ? null : text(agent, '"agent"'),
    view: viewOf(part('"screen"', () => record(file['screen']))),
  };
}

function viewOf(screen: Json): ScreenView {
  part('"screen"', () => only(screen, ['lines', 'cursor', 'isAlternate', 'title']));
  const cursor = part('"cursor"', () => record(screen['cursor']));
  return {
    lines: texts(screen, 'lines', ROWS_MAX),
    cursor: {
      row: number(cursor['row'], '"cursor.row"', 0, ROWS_MAX),
      col: number(cursor['col'], '"cursor.col"', 0, COLUMNS_MAX),
    },
    isCursorVisible: cursor['isVisible'] !== false,
    isAlternate: screen['isAlternate'] === true,
    title: text(screen['title'] ?? '', '"title"'),
  };
}

function texts(json: Json, key: string, most: number): readonly string[] {
  if (json[key] === undefined) throw new Refusal(`"${key}" is missing`);
  return part(`"${key}"`, () => list(json[key], most)).map((each) => text(each, `each part of "${key}"`));
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX) return value;
  throw new Refusal(`${name} must be text of at most ${TEXT_CHARACTERS_MAX} characters, not ${shown(value)}`);
}

function part<Item>(name: string, read: () => Item): Item {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${name}: ${error.message}`) : error;
  }
}

/** A session of which nothing is known but its agent. */
const known = (agent: string): Status => ({ ...UNKNOWN_STATUS, agent });
