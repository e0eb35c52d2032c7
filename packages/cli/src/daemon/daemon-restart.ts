/**
 * `spool daemon restart`: the keeper exits and the holder starts a new one; then the new keeper replaces the holder. Each
 * process holds everything that the sessions need, so they keep running, and each new process runs the program on disk.
 */
import { type DaemonStatus, SpoolError } from '@spool/protocol';
import { openClient, type Program } from '../program.ts';
import { notice } from '../output/stdio.ts';

/** Node starts in far less; a machine under load needs more. */
const KEEPER_MS_MAX = 20_000;
const POLL_MS = 20;

/** False if the caller has to stop and start the daemon instead: none is running, or no session would be lost. */
export async function restart(program: Program, force: boolean): Promise<boolean> {
  const before = await statusOrNull(program);
  if (before === null) return false;
  const { running } = before.sessions;
  if (!before.escrow) {
    if (running === 0 || force) return false;
    const reason = `the daemon is a single process on this system, so a restart would end ${running === 1 ? '1 running session' : `${running} running sessions`}; use --force to restart anyway`;
    throw new SpoolError('NOT_ALLOWED', { reason });
  }
  await renewKeeper(program, before);
  // Before Linux 6.15 only the holder that started a child learns its exit code.
  if (running > 0 && !before.exitCodesSurvive && !force) {
    notice(
      'The keeper was replaced. The holder was not, because on this kernel the exit codes of running sessions would be lost; use --force to replace it too.',
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
    // An older keeper does not know the request, so it is killed. A broken connection is expected.
    if (SpoolError.is(error, 'REQUEST_UNKNOWN')) process.kill(before.keeper.pid, 'SIGKILL');
    else if (!SpoolError.is(error, 'CONNECTION_LOST')) throw error;
  }
  const until = performance.now() + KEEPER_MS_MAX;
  for (;;) {
    const now = await statusOrNull(program);
    if (now !== null && now.keeper.pid !== before.keeper.pid) return;
    if (performance.now() > until)
      throw new Error(
        `no new keeper started within ${KEEPER_MS_MAX / 1000} s; the sessions are not affected; run spool doctor`,
      );
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
