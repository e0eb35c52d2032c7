/** `spool inspect`: prints everything about one session; for an agent, also the whole waiting requests. Keeps REQ-1, SHOW-11. */
import { type SessionInfo, SpoolError, type Viewer } from '@spool/protocol';
import type { RequestEvent, TerminalModes } from '@spool/client';
import { longDuration, shortDuration } from '@spool/protocol/duration';
import { formatTime } from '../output/local-time.ts';
import { printCommand, printable } from '../output/printable.ts';
import { openClient, openForRequests, type ProgramLocation, type VerbAction } from '../program.ts';
import { formatByteSize } from '../command-line/quantities.ts';
import { describeState } from '../output/session-words.ts';
import { print, printJson } from '../output/stdio.ts';

const inspect: VerbAction<'inspect'> = async ({ flags, operands }, program) => {
  await using client = await openForRequests(program);
  const session = await client.get(operands[0] ?? '');
  // A session may end, or be unreadable; its known part is shown anyway.
  const modes = await client.modes(session.id).catch((error: unknown) => {
    if (SpoolError.is(error)) return null;
    throw error;
  });
  const requests = await openRequests(program, session);
  if (flags.json) printJson({ ...session, modes, ...(requests && { requests: requests.map(requestJson) }) });
  else {
    print(describeSession(session, Date.now(), modes).join('\n'));
    if (requests && requests.length > 0) await printRequests(session, requests);
  }
  return 0;
};

/** Returns the waiting requests of an agent; null for a session that is not an agent. */
async function openRequests(program: ProgramLocation, session: SessionInfo): Promise<readonly RequestEvent[] | null> {
  if (session.driver === undefined) return null;
  if (session.state !== 'running') return [];
  const { AgentHandle } = await import('@spool/client/node');
  await using client = await openClient(program);
  return await new AgentHandle(client, session).requests();
}

/** The members and their names are for programs: they may be added to, but never renamed. */
function requestJson(ask: RequestEvent): Readonly<Record<string, unknown>> {
  const { request, digest } = ask;
  if (ask.kind === 'question.asked') {
    const { name = null, questions, schema, input: rest, isCut } = ask;
    const input = { questions, schema, rest };
    return { request, type: 'question', tool: name, input, options: [], digest, questions, schema, isCut };
  }
  const { name = null, input = null, call, diffs, options, title, reason, bytes, isCut } = ask;
  return { request, type: 'permission', tool: name, input, call, diffs, options, digest, bytes, isCut, title, reason };
}

async function printRequests(session: SessionInfo, requests: readonly RequestEvent[]): Promise<void> {
  const { shownRequest } = await import('../agents/shown-request.ts');
  for (const ask of requests) {
    const verbs = ask.kind === 'question.asked' ? ['answer'] : ask.isCut === true ? ['deny'] : ['approve', 'deny'];
    const how = verbs.map((verb) => printCommand(['spool', verb, session.name, '--request', ask.request]));
    print(`\n${shownRequest(ask, 1)}\n  answer it with: ${how.join(', ')}`);
  }
}

export default inspect;

export function describeSession(session: SessionInfo, now: number, modes: TerminalModes | null = null): string[] {
  const { size, startedAt, endedAt, firstOffset, offset } = session;
  const facts: readonly (readonly [string, string])[] = [
    ['id', session.id],
    ['name', printable(session.name)],
    ['state', describeState(session)],
    ['ended by', session.endedBy ?? ''],
    ['time limit', session.timeoutMs === null ? '' : longDuration(session.timeoutMs)],
    ['started by', startedByWords(session.startedBy)],
    ['pid', session.pid > 0 ? String(session.pid) : ''],
    ['command', printCommand(session.command)],
    ['folder', printable(session.cwd)],
    ['terminal', size === null ? 'none (pipes)' : `${size.cols}x${size.rows}`],
    ['modes', modes === null ? '' : modeWords(modes)],
    ['started', when(startedAt, now)],
    ['ended', endedAt === null ? '' : `${when(endedAt, now)}, after ${longDuration(endedAt - startedAt)}`],
    ['output', `${outputWords(offset)}${firstOffset > 0 ? `, kept from offset ${firstOffset}` : ''}`],
    [
      'labels',
      Object.entries(session.labels)
        .map(([key, value]) => printable(`${key}=${value}`))
        .join(' '),
    ],
    ['watchers', String(session.watchers)],
    ['viewers', viewerWords(session.viewers, now)],
    ['size policy', session.size === null ? '' : session.sizePolicy],
    [
      'typed',
      session.typed === null ? '' : `${shortDuration(now - session.typed.at)} ago by ${printable(session.typed.who)}`,
    ],
    ['trouble', printable(session.trouble ?? '')],
  ];
  return facts.filter(([, value]) => value !== '').map(([fact, value]) => `${fact.padEnd(13)}${value}`);
}

/** Describes the modes: `alternate screen, application cursor keys, mouse drag (sgr)`; empty for a fresh terminal. */
function modeWords(modes: TerminalModes): string {
  const { mouse, mouseEncoding, kittyKeyboard, modifyOtherKeys } = modes;
  return [
    modes.alternateScreen ? 'alternate screen' : '',
    modes.applicationCursor ? 'application cursor keys' : '',
    modes.applicationKeypad ? 'application keypad' : '',
    modes.bracketedPaste ? 'bracketed paste' : '',
    mouse === 'none' ? '' : `mouse ${mouse} (${mouseEncoding})`,
    modes.focusReports ? 'focus reports' : '',
    kittyKeyboard === 0 ? '' : `kitty keyboard ${kittyKeyboard}`,
    modifyOtherKeys === 0 ? '' : `modifyOtherKeys ${modifyOtherKeys}`,
  ]
    .filter((word) => word !== '')
    .join(', ');
}

/** Describes the owner: `node 4711`, and for a tied session the processes that it ends with. */
function startedByWords(startedBy: SessionInfo['startedBy']): string {
  if (startedBy === null) return '';
  const { who, owners, isTied } = startedBy;
  return printable(who) + (isTied ? `; stopped when process ${owners.map(({ pid }) => pid).join(' or ')} is gone` : '');
}

/** Describes the viewers: `2: cli 4711 120x40 (3m), cli 4712 read-only (5s)`. */
function viewerWords(viewers: readonly Viewer[], now: number): string {
  if (viewers.length === 0) return '';
  const each = viewers.map(({ who, size, isReadOnly, since }) =>
    [
      printable(who),
      size === null ? '' : ` ${size.cols}x${size.rows}`,
      isReadOnly ? ' read-only' : '',
      ` (${shortDuration(now - since)})`,
    ].join(''),
  );
  return `${viewers.length}: ${each.join(', ')}`;
}

function when(at: number, now: number): string {
  return `${formatTime(at)} (${shortDuration(now - at)} ago)`;
}

/** Formats a size: `1.2M (1234567 bytes)`; a small size is printed once. */
function outputWords(bytes: number): string {
  const short = formatByteSize(bytes);
  return short === String(bytes) ? `${bytes} bytes` : `${short} (${bytes} bytes)`;
}
