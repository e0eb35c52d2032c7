/** `spool inspect`: everything about one session. */
import { type SessionInfo, SpoolError, type Viewer } from '@spool/protocol';
import type { TerminalModes } from '@spool/client';
import { formatTime } from '../output/local-time.ts';
import { commandLine, printable } from '../output/printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { formatAge, formatByteSize } from '../command-line/quantities.ts';
import { stateWords } from '../output/session-words.ts';
import { print, printJson } from '../output/stdio.ts';

const inspect: VerbAction<'inspect'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  // A session may end, or be unreadable: what is known of it is shown all the same.
  const modes = await client.modes(session.id).catch((error: unknown) => {
    if (SpoolError.is(error)) return null;
    throw error;
  });
  if (flags.json) printJson({ ...session, modes });
  else print(describe(session, Date.now(), modes).join('\n'));
  return 0;
};

export default inspect;

export function describe(session: SessionInfo, now: number, modes: TerminalModes | null = null): string[] {
  const { size, startedAt, endedAt, firstOffset, offset } = session;
  const facts: readonly (readonly [string, string])[] = [
    ['id', session.id],
    ['name', printable(session.name)],
    ['state', stateWords(session)],
    ['ended by', session.endedBy ?? ''],
    ['time limit', session.timeoutMs === null ? '' : formatAge(session.timeoutMs)],
    ['started by', startedByWords(session.startedBy)],
    ['pid', session.pid > 0 ? String(session.pid) : ''],
    ['command', commandLine(session.command)],
    ['folder', printable(session.cwd)],
    ['terminal', size === null ? 'none (pipes)' : `${size.cols}x${size.rows}`],
    ['modes', modes === null ? '' : modeWords(modes)],
    ['started', when(startedAt, now)],
    ['ended', endedAt === null ? '' : `${when(endedAt, now)}, after ${formatAge(endedAt - startedAt)}`],
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
      session.typed === null ? '' : `${formatAge(now - session.typed.at)} ago by ${printable(session.typed.who)}`,
    ],
    ['trouble', printable(session.trouble ?? '')],
  ];
  return facts.filter(([, value]) => value !== '').map(([fact, value]) => `${fact.padEnd(13)}${value}`);
}

/** `alternate screen, application cursor keys, mouse drag (sgr)`; nothing for a fresh terminal. */
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

/** `node 4711`, and for a tied session the processes that it ends with. */
function startedByWords(startedBy: SessionInfo['startedBy']): string {
  if (startedBy === null) return '';
  const { who, owners, isTied } = startedBy;
  return printable(who) + (isTied ? `; stopped when process ${owners.map(({ pid }) => pid).join(' or ')} is gone` : '');
}

/** `2: cli 4711 120x40 (3m), cli 4712 read-only (5s)` */
function viewerWords(viewers: readonly Viewer[], now: number): string {
  if (viewers.length === 0) return '';
  const each = viewers.map(({ who, size, isReadOnly, since }) =>
    [
      printable(who),
      size === null ? '' : ` ${size.cols}x${size.rows}`,
      isReadOnly ? ' read-only' : '',
      ` (${formatAge(now - since)})`,
    ].join(''),
  );
  return `${viewers.length}: ${each.join(', ')}`;
}

function when(at: number, now: number): string {
  return `${formatTime(at)} (${formatAge(now - at)} ago)`;
}

/** `1.2M (1234567 bytes)`; a small size is said once. */
function outputWords(bytes: number): string {
  const short = formatByteSize(bytes);
  return short === String(bytes) ? `${bytes} bytes` : `${short} (${bytes} bytes)`;
}
