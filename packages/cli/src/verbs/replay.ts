/** `spool replay`: plays back a session in this terminal. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { Keyboard } from '../attach/keyboard.ts';
import { type LogPlace, logPlaceOf } from '../command-line/log-place.ts';
import { printable } from '../output/printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { ReplayClock } from '../recording/replay-clock.ts';
import { flush, isTerminal, notice, writeOut } from '../output/stdio.ts';
import { Terminal } from '../attach/terminal.ts';
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
    throw new UsageError('a replay needs a terminal; use spool export --asciicast to write a file', 'replay');
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');

  const leaving = new AbortController();
  const clock = new ReplayClock({ speed, idleLimitMs: flags.idleLimit ?? Infinity }, leaving.signal);
  const isEnded = await play(client, session, at, clock, leaving);
  notice(`\n[spool: ${isEnded ? 'end of' : 'left'} the replay of ${printable(operands[0] || session.id)}]`);
  return 0;
};

export default replay;

/** True if it was played to its end. */
async function play(
  client: Client,
  session: SessionInfo,
  at: LogPlace | undefined,
  clock: ReplayClock,
  leaving: AbortController,
): Promise<boolean> {
  using terminal = new Terminal();
  const screen = new ViewerScreen({}, (bytes) => writeOut(bytes, 1, leaving.signal));
  terminal.undo = () => screen.undo();
  if (isTerminal(0)) terminal.enter();
  using _keys = isTerminal(0) ? readKeys(clock, leaving) : undefined;
  await terminal.outputReady;
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
  await flush(1, LEAVING_MS_MAX);
  terminal.leave();
  return !leaving.signal.aborted;
}

function readKeys(clock: ReplayClock, leaving: AbortController): Keyboard {
  return new Keyboard([], {
    take(piece) {
      if (piece.type !== 'keys') return;
      for (const key of Buffer.from(piece.bytes).toString('latin1')) {
        if (key === 'q' || key === 'Q' || key === '\x03' || key === '\x1c') leaving.abort();
        else if (key === ' ') clock.togglePause();
      }
    },
    onGone: () => leaving.abort(),
  });
}
