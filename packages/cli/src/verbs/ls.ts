/** `spool ls`: lists sessions as a table, as ids or as JSON. */
import { ENDED_STATES, type SessionInfo } from '@spool/protocol';
import { commandLine, cutToWidth, printable } from '../output/printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { formatAge, formatByteSize } from '../command-line/quantities.ts';
import { isEnded, statusWords } from '../output/session-words.ts';
import { notice, print, printJson, terminalWidth, wantsColour } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** The number of ended sessions shown without --all. */
const ENDED_SHOWN = 20;
/** Leaves room for the command. */
const ACTIVITY_WIDTH_MAX = 40;

const ls: VerbAction<'ls'> = async ({ flags }, program) => {
  if (flags.names && !flags.quiet) throw new UsageError('--names requires --quiet', 'ls');
  await using client = await openClient(program);
  const { limit = flags.all || flags.json ? undefined : ENDED_SHOWN } = flags;
  const [running, ended] = await Promise.all([
    client.list({ states: ['running'] }),
    limit === 0
      ? { sessions: [], matching: 0 }
      : client.listCounted({ states: ENDED_STATES, ...(limit !== undefined && { limit, order: 'newest' }) }),
  ]);
  const shown = [...byStart(running), ...byStart(ended.sessions)];
  if (flags.json) {
    printJson(flags.limit === undefined ? byStart(shown) : shown);
    return 0;
  }
  if (flags.quiet) {
    const names = flags.names ? new Set(shown.map(({ name }) => printable(name))) : [];
    const lines = [...shown.map(({ id }) => id), ...names];
    if (lines.length > 0) print(lines.join('\n'));
    return 0;
  }
  if (shown.length === 0) notice('There are no sessions. Start one with: spool run -- COMMAND');
  else print(tableOf(shown, Date.now(), terminalWidth(), wantsColour(1)).join('\n'));
  const hidden = ended.matching - ended.sessions.length;
  if (hidden > 0)
    notice(`${hidden} more ${hidden === 1 ? 'session has' : 'sessions have'} ended; spool ls --all lists them`);
  return 0;
};

export default ls;

function byStart(sessions: readonly SessionInfo[]): SessionInfo[] {
  return sessions.toSorted((a, b) => a.startedAt - b.startedAt);
}

export function tableOf(
  sessions: readonly SessionInfo[],
  now: number,
  width: number | undefined,
  isColoured: boolean,
): string[] {
  const activities = sessions.map(activity);
  const hasActivity = activities.some((text) => text !== '');
  const columns = [
    { title: 'ID' },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'AGE', right: true },
    { title: 'OUTPUT', right: true },
    { title: 'VIEWERS', right: true },
    ...(hasActivity ? [{ title: 'ACTIVITY' }] : []),
    { title: 'COMMAND' },
  ] as const;
  const rows = sessions.map((session, at) => [
    session.id,
    printable(session.name),
    printable(statusWords(session)),
    formatAge(now - session.startedAt),
    formatByteSize(session.offset),
    session.viewers.length === 0 ? '' : String(session.viewers.length),
    ...(hasActivity ? [activities[at]!] : []),
    commandLine(session.command),
  ]);
  const lines = formatTable(columns, rows, width);
  return isColoured ? lines.map((line, at) => coloured(line, sessions[at - 1])) : lines;
}

/** Its problem, or else its activity, its last milestone or its title. */
function activity({ trouble, status, milestone, title }: SessionInfo): string {
  if (trouble !== null) return printable(trouble);
  return cutToWidth(printable(status.activity ?? milestone?.title ?? title), ACTIVITY_WIDTH_MAX);
}

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
