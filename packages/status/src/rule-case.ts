/**
 * Runs a rule-test case: a screen that a user has saved, with the true state of the session (`spool explain --save`). The rules
 * are applied to it as to a session that shows this screen without any change. Keeps STATE-9.
 */
import { type Status, type StatusSource, type StatusState, UNKNOWN_STATUS } from '@spool/protocol';
import { StatusReducer } from './reducer.ts';
import { type RuleJson, list, number, only, record, RuleRefusal, showValue } from './rule-json.ts';
import type { RuleSet, RuleState } from './rules.ts';
import type { ScreenView } from './sources/screen-lines.ts';

export interface RuleCase {
  /** The true state, according to the user. */
  readonly should: RuleState;
  readonly note: string;
  readonly command: readonly string[];
  /** The agent that was known, even if this screen does not show it. */
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
/**
 * The time for which the screen is unchanged: long enough for every reading to count, and not so long that a title no longer
 * counts.
 */
const STILL_MS = 4000;
/** The time of the start: the session is past it. */
const STARTED_AT = -60_000;

/** Returns the case, or a sentence with the error in the file. */
export function parseCase(file: string, json: unknown): { readonly found: RuleCase } | { readonly error: string } {
  try {
    return { found: ruleCase(json) };
  } catch (error) {
    if (!(error instanceof RuleRefusal)) throw error;
    return { error: `${file}: ${error.message}` };
  }
}

/** Returns the reading of these rules, once the screen has been unchanged for long enough. */
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
    throw new RuleRefusal(`"should" must be working, blocked or idle, not ${showValue(should)}`);
  return {
    should,
    note: text(note, '"note"'),
    command: texts(file, 'command', WORDS_MAX),
    agent: agent === null || agent === undefined ? null : text(agent, '"agent"'),
    view: viewOf(part('"screen"', () => record(file['screen']))),
  };
}

function viewOf(screen: RuleJson): ScreenView {
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

function texts(json: RuleJson, key: string, most: number): readonly string[] {
  if (json[key] === undefined) throw new RuleRefusal(`"${key}" is missing`);
  return part(`"${key}"`, () => list(json[key], most)).map((each) => text(each, `each part of "${key}"`));
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX) return value;
  throw new RuleRefusal(`${name} must be text of at most ${TEXT_CHARACTERS_MAX} characters, not ${showValue(value)}`);
}

function part<Item>(name: string, read: () => Item): Item {
  try {
    return read();
  } catch (error) {
    throw error instanceof RuleRefusal ? new RuleRefusal(`${name}: ${error.message}`) : error;
  }
}

/** Returns the status of a session of which only the agent is known. */
const known = (agent: string): Status => ({ ...UNKNOWN_STATUS, agent });
