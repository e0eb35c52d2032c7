/** `spool replay`: plays back a session in this terminal. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { type LogPlace, logPlaceOf } from '../command-line/log-place.ts';
import { printable } from '../output/printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { ReplayClock } from '../recording/replay-clock.ts';
import { flush, isTerminal, notice, print, writeOut } from '../output/stdio.ts';
import { UserTerminal } from '../tui/terminal.ts';
import { timedOutput } from '../session-output/timed-output.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { ViewerScreen } from '../attach/viewer-screen.ts';

const LEAVING_MS_MAX = 300;

const replay: VerbAction<'replay'> = async ({ flags, operands }, program) => {
  const speed = flags.speed === undefined ? 1 : Number(flags.speed.replace(/x$/i, ''));
  if (!(speed > 0 && speed <= 1e6))
    throw new UsageError(`--speed ${JSON.stringify(flags.speed)} is not a number above 0; use 2 or 0.5`, 'replay');
  const at = flags.at === undefined ? undefined : logPlaceOf(flags.at, '--at', 'replay');
  if (!isTerminal(1) || flags.json)
    throw new UsageError('a replay needs a terminal; use spool export -o FILE.cast to write a file', 'replay');
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');

  const leaving = new AbortController();
  const clock = new ReplayClock({ speed, idleLimitMs: flags.idleLimit ?? Infinity }, leaving.signal);
  const play = isTerminal(0) ? playWithKeys : playPlainly;
  const isEnded = await play(client, session, at, clock, leaving);
  notice(`\n[spool: ${isEnded ? 'end of' : 'left'} the replay of ${printable(session.name)}]`);
  return 0;
};

export default replay;

/** Plays a session. Returns true if it was played to its end. */
type Play = (
  client: Client,
  session: SessionInfo,
  at: LogPlace | undefined,
  clock: ReplayClock,
  leaving: AbortController,
) => Promise<boolean>;

const playWithKeys: Play = async (client, session, at, clock, leaving) => {
  const { ReplayPlayer } = await import('../recording/replay-player.ts');
  using terminal = new UserTerminal();
  const player = new ReplayPlayer({ client, session, terminal, clock, leaving });
  terminal.enter();
  await terminal.outputReady;
  const isEnded = await player.play(at);
  await flush(1, LEAVING_MS_MAX);
  terminal.leave();
  const text = player.lastText.trimEnd();
  if (text !== '') print(text);
  return isEnded;
};

/** Plays without a keyboard: prints the bytes at their recorded times. */
const playPlainly: Play = async (client, session, at, clock, leaving) => {
  using terminal = new UserTerminal();
  const screen = new ViewerScreen({}, (bytes) => writeOut(bytes, 1, leaving.signal));
  process.once('SIGINT', () => leaving.abort());
  await screen.begin(terminal.size().rows);
  let from = { offset: session.firstOffset, at: session.startedAt };
  if (at !== undefined) {
    const then = await client.screen(session.id, { at, format: 'snapshot' });
    await screen.paintSnapshot(Buffer.from(then.content, 'base64'));
    from = { offset: then.offset, at: then.at || session.startedAt };
  }
  for await (const item of timedOutput(client, session, from)) {
    await clock.until(item.at);
    if (leaving.signal.aborted) break;
    if (item.type === 'output') await screen.paint(item.bytes);
  }
  await writeOut(screen.undo(), 1, leaving.signal);
  await flush(1, LEAVING_MS_MAX);
  return !leaving.signal.aborted;
};
