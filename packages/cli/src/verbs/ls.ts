/** `spool ls`: the sessions, as a table, as ids or as JSON. */
import type { SessionInfo } from '@spool/protocol';
import { commandLine, printable } from '../printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { formatAge, formatByteSize } from '../quantities.ts';
import { isEnded, stateWords } from '../session-words.ts';
import { notice, print, printJson, terminalWidth, wantsColour } from '../stdio.ts';
import { formatTable } from '../table.ts';

/** So many ended ones are shown without --all. */
const ENDED_SHOWN = 20;

const ls: VerbAction<'ls'> = async ({ flags }, program) => {
  await using client = await openClient(program);
  const all = [...(await client.list())].sort((a, b) => a.startedAt - b.startedAt);
  if (flags.json) {
    printJson(all);
    return 0;
  }
  const ended = all.filter(isEnded);
  const shown = [...all.filter((session) => !isEnded(session)), ...(flags.all ? ended : ended.slice(-ENDED_SHOWN))];
  if (flags.quiet) {
    if (shown.length > 0) print(shown.map(({ id }) => id).join('\n'));
    return 0;
  }
  if (shown.length === 0) notice('There are no sessions. Start one with: spool run -- COMMAND');
  else print(tableOf(shown, Date.now(), terminalWidth(), wantsColour(1)).join('\n'));
  const hidden = all.length - shown.length;
  if (hidden > 0) notice(`${hidden} more have ended; spool ls --all shows them`);
  return 0;
};

export default ls;

export function tableOf(
  sessions: readonly SessionInfo[],
  now: number,
  width: number | undefined,
  isColoured: boolean,
): string[] {
  const columns = [
    { title: 'ID' },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'AGE', right: true },
    { title: 'OUTPUT', right: true },
    { title: 'VIEWERS', right: true },
    { title: 'COMMAND' },
  ] as const;
  const rows = sessions.map((session) => [
    session.id,
    printable(session.name),
    stateWords(session),
    formatAge(now - session.startedAt),
    formatByteSize(session.offset),
    session.viewers.length === 0 ? '' : String(session.viewers.length),
    commandLine(session.command),
  ]);
  const lines = formatTable(columns, rows, width);
  return isColoured ? lines.map((line, at) => coloured(line, sessions[at - 1])) : lines;
}

/** The head bold, ended ones dim, failed ones red: whole lines, so that widths stay what they are. */
function coloured(line: string, session: SessionInfo | undefined): string {
  if (session === undefined) return `\x1b[1m${line}\x1b[m`;
  if (session.state === 'failed' || session.state === 'lost') return `\x1b[31m${line}\x1b[m`;
  return isEnded(session) ? `\x1b[2m${line}\x1b[m` : line;
}
