/** `spool ls`: lists sessions as a table, as ids, as JSON or with a template. Keeps LIST-2 and LIST-5. */
import type { RequestClient } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';
import { askedFor, type ListQuery } from '../listing/filters.ts';
import { sessionOrder } from '../listing/order.ts';
import { ownCommand } from '../output/own-command.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson, terminalHeight, terminalWidth, wantsColour } from '../output/stdio.ts';
import { openForRequests, type VerbAction } from '../program.ts';
import { hasNodes } from '../remote/has-nodes.ts';

/** The number of ended sessions shown without --all; fewer on a terminal where the running ones would scroll out of view. */
const ENDED_SHOWN = 10;
const ENDED_SHOWN_MIN = 3;
/** The header, the line about more sessions, and the prompt of the shell. */
const OTHER_ROWS = 4;

const ls: VerbAction<'ls'> = async ({ flags }, program) => {
  if (flags.names && !flags.quiet) throw new UsageError('--names requires --quiet', 'ls');
  const format = flags.json ? 'json' : (flags.format ?? 'table');
  const order = sessionOrder(flags.sort ?? (format === 'json' ? '-age' : 'need'));
  const asked = askedFor(flags.filter, flags);
  const line = format === 'json' || format === 'table' ? null : await templateOf(format);
  await using client = await openForRequests(program);
  const isSome = !flags.all && flags.limit === undefined && format !== 'json';
  const limit = isSome ? ENDED_SHOWN : flags.limit;
  const [running, ended, afar] = await Promise.all([
    asked.running === null ? [] : client.list(asked.running),
    listEnded(client, asked.ended, limit),
    hasNodes(program) ? listNodes(asked, limit, flags.seen) : null,
  ]);
  const latest = isSome ? ended.sessions.slice(0, endedRoom(running.length)) : ended.sessions;
  const own = program.host()?.node;
  const here =
    own === undefined ? [...running, ...latest] : [...running, ...latest].map((each) => ({ ...each, node: own }));
  const all = [...here, ...(afar?.sessions ?? [])].sort(order);
  const shown = afar === null || format === 'json' ? all : all.map((session) => afar.asShown(session));
  if (format === 'json') {
    printJson(shown);
    return 0;
  }
  if (flags.quiet) {
    const names = flags.names ? new Set(shown.map(({ name }) => printable(name))) : [];
    const lines = [...shown.map(({ id }) => id), ...names];
    if (lines.length > 0) print(lines.join('\n'));
    return 0;
  }
  const hidden = ended.matching - latest.length + (afar?.hidden ?? 0);
  if (line !== null) {
    const now = Date.now();
    if (shown.length > 0) print(shown.map((session) => line(session, now)).join('\n'));
  } else if (shown.length === 0) notice(nothingWords(flags));
  else await printTable(shown, flags.labels, program.host() !== null);
  if (hidden > 0) notice(`${hidden} more ended; spool ls -a lists all`);
  return 0;
};

export default ls;

/** Lists the sessions of nodes; a list must not fail without them. */
async function listNodes(
  asked: ListQuery,
  limit: number | undefined,
  asSeen: boolean,
): Promise<{
  readonly sessions: readonly SessionInfo[];
  readonly hidden: number;
  asShown(session: SessionInfo): SessionInfo;
}> {
  const { asShown, sessionsOfNodes } = await import('../remote/node-sessions.ts');
  const now = Date.now();
  const found = await sessionsOfNodes(asked, limit, asSeen);
  if (found === null) notice('The sessions of nodes are not listed, because no gateway runs; `spool web` starts it.');
  const sessions = found?.sessions ?? [];
  const ended = sessions.filter(({ state }) => state !== 'running').length;
  return { sessions, hidden: (found?.matching ?? 0) - ended, asShown: (session) => asShown(session, now) };
}

function endedRoom(running: number): number {
  const height = terminalHeight();
  return height === undefined ? ENDED_SHOWN : Math.max(ENDED_SHOWN_MIN, height - OTHER_ROWS - running);
}

async function listEnded(
  client: RequestClient,
  asked: ReturnType<typeof askedFor>['ended'],
  limit: number | undefined,
): Promise<{ readonly sessions: readonly SessionInfo[]; readonly matching: number }> {
  if (asked === null || limit === 0) return { sessions: [], matching: 0 };
  return await client.listCounted({ ...asked, ...(limit !== undefined && { limit, order: 'newest' }) });
}

async function templateOf(text: string): Promise<(session: SessionInfo, now: number) => string> {
  const { sessionTemplate } = await import('../listing/template.ts');
  return sessionTemplate(text);
}

async function printTable(sessions: readonly SessionInfo[], showsLabels: boolean, isRemote: boolean): Promise<void> {
  const { sessionTable } = await import('../listing/session-table.ts');
  const { folderWords } = await import('../listing/folders.ts');
  const folder = folderWords(isRemote ? null : (process.env['HOME'] ?? '/'));
  const look = { now: Date.now(), width: terminalWidth(), isColoured: wantsColour(1), showsLabels, folder };
  print(sessionTable(sessions, look).join('\n'));
}

function nothingWords({
  filter,
  running,
  ended,
}: {
  readonly filter: readonly string[];
  readonly running: boolean;
  readonly ended: boolean;
}): string {
  if (filter.length > 0) return 'No session matches.';
  if (running !== ended) return running ? 'No session is running.' : 'No session has ended.';
  return `There are no sessions. Start one with: ${ownCommand(['run', '--', 'COMMAND'])}`;
}
