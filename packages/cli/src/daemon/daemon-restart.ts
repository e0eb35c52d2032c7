/**
 * `spool daemon restart`: the holder starts a new keeper from the installation of this program, and the present keeper exits once
 * the new one has loaded; then the new keeper replaces the holder in the same way. Each process holds everything that the sessions
 * need, so they keep running. Keeps LIFE-41.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDaemonEntry, homeFrom } from '@spool/client/node';
import { type DaemonStatus, type ProgramSource, SpoolError, wantedProgramFile } from '@spool/protocol';
import { openClient, type ProgramLocation } from '../program.ts';
import { notice } from '../output/stdio.ts';

/** The time limit of a keeper's start; it is longer than the holder's own, after which the holder uses the program before. */
const KEEPER_MS_MAX = 30_000;
const REASON_CHARACTERS_MAX = 1000;
const POLL_MS = 20;

/**
 * Restarts the daemon. Returns false if the caller has to stop and start it instead, because no daemon runs, or no session would be
 * lost. `prove` rejects if the new keeper does not work; then, or if the holder cannot be replaced, the program before is used
 * again.
 */
export async function restart(
  program: ProgramLocation,
  force: boolean,
  prove: (isHolderNew: boolean) => Promise<void> = async () => {},
): Promise<boolean> {
  const before = await statusOrNull(program).catch((error: unknown) => offerProgram(program, error));
  if (before === null) return false;
  const { running } = before.sessions;
  if (!before.escrow) {
    if (running === 0 || force) return false;
    const reason = `the daemon is a single process on this system, so a restart would end ${running === 1 ? '1 running session' : `${running} running sessions`}; use --force to restart anyway`;
    throw new SpoolError('NOT_ALLOWED', { reason });
  }
  await renewKeeper(program, before);
  // Before Linux 6.15 only the holder that started a child learns its exit code.
  const keepsHolder = running > 0 && !before.exitCodesSurvive && !force;
  const check = async (isHolderNew: boolean): Promise<void> => {
    await prove(isHolderNew);
    const now = await statusOrNull(program);
    const refused = now && newRefusal(before, now);
    if (refused !== null) throw refused;
  };
  try {
    await check(false);
    if (!keepsHolder) {
      await renewHolder(program);
      await check(true);
    }
  } catch (error) {
    throw await goBack(program, before, error as Error);
  }
  if (keepsHolder)
    notice(
      'The keeper was replaced. The holder was not, because on this kernel the exit codes of running sessions would be lost; use --force to replace it too.',
    );
  return true;
}

async function renewHolder(program: ProgramLocation): Promise<void> {
  await using client = await openClient(program, { start: false });
  await client.renew('holder');
}

/** Lets the program before take over again, unless the holder has already done so. Returns the error for the user. */
async function goBack(program: ProgramLocation, before: DaemonStatus, cause: Error): Promise<Error> {
  const reason = String(SpoolError.is(cause) ? (cause.details['reason'] ?? cause.message) : cause.message);
  try {
    await using client = await openClient(program, { start: false });
    const now = await client.status();
    const refused = newRefusal(before, now);
    if (refused !== null) return refused;
    await client.goBack(reason.slice(0, REASON_CHARACTERS_MAX)).catch(expectEnd);
    await untilReplaced(program, now);
    if (now.holder.pid !== before.holder.pid) await renewHolder(program);
    return new SpoolError('SUCCESSOR_REFUSED', { reason });
  } catch (error) {
    return new Error(`${reason}; and the program before cannot be used again: ${(error as Error).message}`, { cause });
  }
}

/** Returns the error if the daemon has given up a program since `before`. */
function newRefusal(before: DaemonStatus, now: DaemonStatus): SpoolError | null {
  const refused = now.program?.refused;
  if (refused === undefined || refused.at === before.program?.refused?.at) return null;
  return new SpoolError('SUCCESSOR_REFUSED', { reason: refused.reason });
}

/** The connection to a keeper that exits may end before its answer. */
function expectEnd(error: unknown): void {
  if (!SpoolError.is(error, 'CONNECTION_LOST')) throw error;
}

/**
 * Writes this installation to a file, where the holder finds it at its next attempt: no keeper can be started, so no request is
 * possible.
 */
async function offerProgram(program: ProgramLocation, error: unknown): Promise<DaemonStatus | null> {
  if (!SpoolError.is(error, 'CONNECTION_LOST')) throw error;
  const path = wantedProgramFile(homeFrom(process.env, process.getuid?.() ?? 0).state);
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(ownProgram()), { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path); // the file appears whole
  const until = performance.now() + KEEPER_MS_MAX;
  try {
    for (;;) {
      try {
        return await statusOrNull(program);
      } catch (again) {
        if (!SpoolError.is(again, 'CONNECTION_LOST') || performance.now() > until) throw again;
      }
    }
  } finally {
    rmSync(path, { force: true });
  }
}

async function renewKeeper(program: ProgramLocation, before: DaemonStatus): Promise<void> {
  try {
    await using client = await openClient(program, { start: false });
    await client.renew('keeper', ownProgram());
  } catch (error) {
    // An older keeper does not know the request, so it is killed.
    if (SpoolError.is(error, 'REQUEST_UNKNOWN')) process.kill(before.keeper.pid, 'SIGKILL');
    else if (SpoolError.is(error, 'REQUEST_INVALID')) await renewOlder(program);
    else expectEnd(error);
  }
  const refused = newRefusal(before, await untilReplaced(program, before));
  if (refused !== null) throw refused;
}

/** Resolves when another keeper serves. */
async function untilReplaced(program: ProgramLocation, before: DaemonStatus): Promise<DaemonStatus> {
  const until = performance.now() + KEEPER_MS_MAX;
  for (;;) {
    const now = await statusOrNull(program);
    if (now !== null && now.keeper.pid !== before.keeper.pid) return now;
    if (performance.now() > until)
      throw new Error(
        `no new keeper started within ${KEEPER_MS_MAX / 1000} s; the sessions are not affected; run spool doctor`,
      );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Renews an older keeper, which only starts the program that it was started from. */
async function renewOlder(program: ProgramLocation): Promise<void> {
  await using client = await openClient(program, { start: false });
  await client.renew('keeper').catch(expectEnd);
}

/** Returns the installation that this program belongs to. */
function ownProgram(): ProgramSource {
  return { folder: dirname(findDaemonEntry()), node: process.execPath };
}

async function statusOrNull(program: ProgramLocation): Promise<DaemonStatus | null> {
  try {
    await using client = await openClient(program, { start: false });
    return await client.status();
  } catch (error) {
    if (SpoolError.is(error, 'DAEMON_UNREACHABLE')) return null;
    throw error;
  }
}
