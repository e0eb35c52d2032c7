/**
 * Sessions as a table: on a terminal it fits the width; elsewhere it has all columns, each cell in full. Keeps LIST-8: a row
 * identifies its session by its folder, by an agent's first prompt, and by its id where two sessions have the same name.
 */
import { questionLine, type SessionInfo } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { formatByteSize } from '../command-line/quantities.ts';
import { displayWidth, printable } from '../output/printable.ts';
import { commandWords } from '../output/session-command.ts';
import { isEnded, shortState, statusWords } from '../output/session-words.ts';
import { type Column, formatTable, GAP } from '../output/table.ts';

export interface TableLook {
  readonly now: number;
  /** The width of the terminal; undefined if there is none. */
  readonly width: number | undefined;
  readonly isColoured: boolean;
  readonly showsLabels: boolean;
  /** Returns the folder of a session as it is shown; `isShort`: only its last part. */
  readonly folder: (session: SessionInfo, isShort: boolean) => string;
}

interface SessionColumn extends Column {
  readonly cell: (session: SessionInfo, now: number) => string;
}

/** Caps untrusted text, because zero-width characters do not count towards its width. */
const CHARACTERS_MAX = 1000;
/** The width below which a state is one word: `blocked` instead of `blocked permission`. */
const WORDS_WIDTH_MIN = 60;
/** The width below which there is no column for the id. */
const ID_WIDTH_MIN = 76;
/** Replaces an empty cell where programs read the table, so that each line has the same number of cells. */
const NOTHING = '-';

const ID: SessionColumn = { title: 'ID', matters: 3, cell: ({ id }) => id };
const NAME: SessionColumn = { title: 'NAME', matters: 9, least: 12, fair: 24, cell: ({ name }) => clean(name) };
const STATE: SessionColumn = {
  title: 'STATE',
  matters: 8,
  least: 18,
  fair: 20,
  cell: (session) => clean(statusWords(session)),
};
const SHORT_STATE: SessionColumn = {
  ...STATE,
  cell: (session) => shortState(STATE.cell(session, 0)),
};
const AGE: SessionColumn = {
  title: 'AGE',
  matters: 7,
  right: true,
  cell: ({ startedAt }, now) => shortDuration(now - startedAt),
};
const OUTPUT: SessionColumn = {
  title: 'OUTPUT',
  matters: 2,
  right: true,
  cell: ({ offset }) => formatByteSize(offset),
};
const VIEWERS: SessionColumn = {
  title: 'VIEWERS',
  matters: 1,
  right: true,
  cell: ({ viewers }) => String(viewers.length || ''),
};
const LABELS: SessionColumn = {
  title: 'LABELS',
  matters: 6,
  least: 8,
  fair: 30,
  cell: ({ labels }) => labelWords(labels),
};
const ACTIVITY: SessionColumn = { title: 'ACTIVITY', matters: 5, least: 12, fair: 40, cell: activityOf };
const COMMAND: SessionColumn = {
  title: 'COMMAND',
  matters: 4,
  least: 10,
  fair: 30,
  cell: (session) => clean(commandWords(session)),
};
/** The column for a table without room for both: the activity, or else the command. */
const doingColumn = (least: number): SessionColumn => ({
  title: 'DOING',
  matters: 5,
  least,
  cell: (session) => activityOf(session) || COMMAND.cell(session, 0),
});

/** The folder, with the branch that is checked out there. */
const folderColumn = (folder: TableLook['folder'], isShort: boolean): SessionColumn => ({
  title: 'FOLDER',
  matters: 4.5,
  least: isShort ? 8 : 12,
  fair: isShort ? 16 : 28,
  keepsEnd: true,
  cell: (session) => clean(folder(session, isShort)),
});

/** The column for a table without ids: the name, or the id of a session whose name refers to another one. */
const referenceColumn = (sessions: readonly SessionInfo[]): SessionColumn => {
  const meant = meantByName(sessions);
  return { ...NAME, cell: (session) => (meant.get(session.name) === session.id ? NAME : ID).cell(session, 0) };
};

/** Returns the id of the session that each name refers to: the running one, or else the one that started last. */
function meantByName(sessions: readonly SessionInfo[]): ReadonlyMap<string, string> {
  const worth = (session: SessionInfo): number => (isEnded(session) ? session.startedAt : Infinity);
  const inOrder = [...sessions].sort((a, b) => (worth(a) < worth(b) ? -1 : 1));
  return new Map(inOrder.map(({ name, id }) => [name, id]));
}

export function sessionTable(sessions: readonly SessionInfo[], look: TableLook): string[] {
  const { now, width } = look;
  const columns = columnsFor(sessions, look);
  const nothing = width === undefined ? NOTHING : '';
  const rows = sessions.map((session) => columns.map((column) => column.cell(session, now) || nothing));
  const lines = formatTable(columns, rows, width);
  return look.isColoured ? lines.map((line, at) => coloured(line, sessions[at - 1])) : lines;
}

function columnsFor(sessions: readonly SessionInfo[], { now, width, showsLabels, folder }: TableLook): SessionColumn[] {
  const labels = showsLabels ? [LABELS] : [];
  const all = [ID, NAME, STATE, AGE, OUTPUT, VIEWERS, ...labels, folderColumn(folder, false), ACTIVITY, COMMAND];
  if (width === undefined) return all;
  // An empty column makes room for the others.
  const filled = all.filter(({ cell }) => sessions.some((session) => cell(session, now) !== ''));
  const wanted = (column: SessionColumn): number =>
    Math.max(...sessions.map((session) => displayWidth(column.cell(session, now))), column.title.length);
  const total = filled.reduce((sum, column) => sum + Math.min(wanted(column), column.fair ?? Infinity) + GAP, -GAP);
  if (total <= width) return filled;
  const isNarrow = width < WORDS_WIDTH_MIN;
  const names = width < ID_WIDTH_MIN ? [referenceColumn(sessions)] : [ID, NAME];
  // A folder that all sessions share does not distinguish them.
  const areApart = new Set(sessions.map(({ cwd }) => cwd)).size > 1 && !isNarrow;
  const folders = areApart ? [folderColumn(folder, true)] : [];
  return [
    ...names,
    isNarrow ? SHORT_STATE : STATE,
    AGE,
    OUTPUT,
    ...labels,
    ...folders,
    doingColumn(isNarrow ? 12 : 20),
  ];
}

/** Returns the session's problem, or else its question, its activity, its last milestone, its title or an agent's last words. */
export function activityOf({ trouble, status, milestone, title, driver }: SessionInfo): string {
  const question = status.question && questionLine(status.question);
  return clean(trouble ?? question ?? status.activity ?? milestone?.title ?? (driver ? (status.said ?? '') : title));
}

function labelWords(labels: SessionInfo['labels']): string {
  return clean(
    Object.entries(labels)
      .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
      .join(','),
  );
}

const clean = (text: string): string => printable(text.slice(0, CHARACTERS_MAX));

/** Colours whole lines, so that column widths do not change: bold header, bright blocked sessions, dim ended sessions. */
function coloured(line: string, session: SessionInfo | undefined): string {
  const look = session === undefined ? '1' : lookOf(session);
  return look === '' ? line : `\x1b[${look}m${line}\x1b[m`;
}

function lookOf(session: SessionInfo): string {
  if (session.trouble !== null || session.state === 'failed' || session.state === 'lost') return '31';
  if (isEnded(session)) return '2';
  if (session.status.state === 'blocked') return '1;33';
  return session.status.state === 'working' ? '32' : '';
}
