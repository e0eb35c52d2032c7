/**
 * `spool daemon restart`: the keeper steps down and the holder starts another; then the new keeper has the holder replaced.
 * Each process holds everything that the sessions need, so they go on, and each new one runs the program that is on disk now.
 */
import { type DaemonStatus, SpoolError } from '@spool/protocol';
import { openClient, type Program } from '../program.ts';
import { notice } from '../output/stdio.ts';

/** Node starts in far less; a machine under load needs more. */
const KEEPER_MS_MAX = 20_000;
const POLL_MS = 20;

/** False when it cannot be done in place and must be stopped and started instead: none runs, or nothing is lost by that. */
export async function restart(program: Program, force: boolean): Promise<boolean> {
  const before = await statusOrNull(program);
  if (before === null) return false;
  const { running } = before.sessions;
  if (!before.escrow) {
    if (running === 0 || force) return false;
    const reason = `this would end ${running === 1 ? '1 running session' : `${running} running sessions`}, for holder and keeper are one process here; --force does it`;
    throw new SpoolError('NOT_ALLOWED', { reason });
  }
  await renewKeeper(program, before);
  // Before Linux 6.15 only the holder that started a child learns its exit code.
  if (running > 0 && !before.exitCodesSurvive && !force) {
    notice(
      'The keeper was replaced. The holder stays: on this kernel the exit codes of running sessions would be lost with it; --force replaces it too.',
    );
    return true;
  }
  await using client = await openClient(program, { start: false });
  await client.renew('holder');
  return true;
}

async function renewKeeper(program: Program, before: DaemonStatus): Promise<void> {
  try {
    await using client = await openClient(program, { start: false });
    await client.renew('keeper');
  } catch (error) {
    // Older ones do not know the request; then it is killed, which it must bear anyway. A broken link is what was asked for.
    if (SpoolError.is(error, 'REQUEST_UNKNOWN')) process.kill(before.keeper.pid, 'SIGKILL');
    else if (!SpoolError.is(error, 'CONNECTION_LOST')) throw error;
  }
  const until = performance.now() + KEEPER_MS_MAX;
  for (;;) {
    const now = await statusOrNull(program);
    if (now !== null && now.keeper.pid !== before.keeper.pid) return;
    if (performance.now() > until)
      throw new Error(`no other keeper came in ${KEEPER_MS_MAX / 1000} s; the sessions are not touched: spool doctor`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function statusOrNull(program: Program): Promise<DaemonStatus | null> {
  try {
    await using client = await openClient(program, { start: false });
    return await client.status();
  } catch (error) {
    if (SpoolError.is(error, 'DAEMON_UNREACHABLE')) return null;
    throw error;
  }
}
