/**
 * `spool daemon`: starts, stops, restarts or shows the daemon. Rarely needed, because the daemon starts on demand. Keeps
 * RUN-25.
 */
import { readFileSync } from 'node:fs';
import { type DaemonStatus, type LeftProcess, SpoolError } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { openForRequests, type ProgramLocation, type VerbAction } from '../program.ts';
import { formatByteSize } from '../command-line/quantities.ts';
import { confirm } from '../command-line/confirm.ts';
import { restart } from '../daemon/daemon-restart.ts';
import { upgrade, type UpgradeReport } from '../daemon/daemon-upgrade.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice, print, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { userSettings } from '../command-line/user-settings.ts';

/** The time limit for the daemon's processes to end, after the grace period of the sessions. */
const END_MS_MAX = 10_000;
const POLL_MS = 15;

const daemon: VerbAction<'daemon'> = async ({ flags, operands }, program) => {
  const graceMs = flags.grace ?? userSettings({ isQuiet: true }).grace;
  switch (operands[0]) {
    case 'status':
      return printStatus(await statusOf(program, false), flags.json) ? 0 : EXIT.failed;
    case 'start':
      printStatus(await statusOf(program, true), flags.json);
      return 0;
    case 'stop': {
      if (!flags.force && !(await mayEndSessions(program))) return EXIT.notAllowed;
      const stopped = await stop(program, graceMs);
      if (flags.json)
        printJson({
          running: false,
          stopped: stopped !== null,
          ...(stopped && {
            holder: stopped.holder,
            keeper: { pid: stopped.keeper.pid },
            leftRunning: stopped.leftRunning,
          }),
        });
      else if (stopped === null) notice('No daemon was running.');
      else {
        print(`The daemon has stopped${stopped.sessions.running > 0 ? `; ${ended(stopped)}` : ''}.`);
        for (const { pid, service, program: file } of stopped.leftRunning)
          print(`left running: ${service ?? printable(file)} (pid ${pid}), used by others; \`kill ${pid}\` ends it`);
      }
      return 0;
    }
    case 'restart':
      if (!(await restart(program, flags.force))) {
        await stop(program, graceMs);
        await statusOf(program, true);
      }
      printStatus(await statusOf(program, true), flags.json);
      return 0;
    case 'upgrade': {
      const report = await upgrade(program, flags.force);
      if (report === null) {
        await stop(program, graceMs);
        await statusOf(program, true);
      }
      const status = await statusOf(program, false);
      if (flags.json) printJson({ ...report, daemon: status });
      else print(describeUpgrade(report, status));
      return 0;
    }
    default:
      throw new UsageError(
        `unknown action \`daemon ${operands[0]}\`; use start, stop, status, restart or upgrade`,
        'daemon',
      );
  }
};

export default daemon;

function describeUpgrade(report: UpgradeReport | null, status: DaemonStatus | null): string {
  if (report === null) return `The daemon was started again, version ${status?.version}.`;
  const { upgraded, from, to, sessions, requests } = report;
  if (!upgraded) return `No daemon is running. The first verb that needs one starts version ${to}.`;
  const kept = [count(sessions, 'session'), ...(requests > 0 ? [count(requests, 'open request')] : [])].join(' and ');
  const versions =
    from === to ? `The daemon runs the program of this installation, version ${to}` : `Upgraded from ${from} to ${to}`;
  return `${versions}; ${kept} continued.`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

function ended({ sessions: { running } }: DaemonStatus): string {
  return running === 1 ? '1 running session was ended' : `${running} running sessions were ended`;
}

/** Asks the user at a terminal before ending running sessions; elsewhere `--force` is needed for that. */
async function mayEndSessions(program: ProgramLocation): Promise<boolean> {
  const running = (await statusOf(program, false))?.sessions.running ?? 0;
  if (running === 0) return true;
  const sessions = running === 1 ? '1 running session' : `${running} running sessions`;
  if (!isTerminal(0) || !isTerminal(2))
    throw new SpoolError('NOT_ALLOWED', {
      reason: `this would end ${sessions}; use --force to stop the daemon anyway`,
    });
  if (await confirm(`This ends ${sessions}. Stop the daemon?`)) return true;
  notice('Nothing was stopped.');
  return false;
}

/** Returns the status; null if no daemon is running. With `start`, it starts one. */
async function statusOf(program: ProgramLocation, start: boolean): Promise<DaemonStatus | null> {
  try {
    await using client = await openForRequests(program, { start });
    return await client.status();
  } catch (error) {
    if (!start && SpoolError.is(error, 'DAEMON_UNREACHABLE')) return null;
    throw error;
  }
}

function printStatus(status: DaemonStatus | null, asJson: boolean): boolean {
  if (asJson) printJson(status === null ? { running: false } : { running: true, ...status });
  else if (status === null) print('No daemon is running. The first verb that needs one starts it.');
  else print(describeDaemon(status, Date.now()));
  return status !== null;
}

export function describeDaemon(status: DaemonStatus, now: number): string {
  const { sessions, holder, keeper } = status;
  return [
    `The daemon is up ${shortDuration(now - status.startedAt)}, version ${status.version}.`,
    `sessions  ${sessions.running} running, ${sessions.ended} ended`,
    `holder    pid ${holder.pid}`,
    `keeper    pid ${keeper.pid}, ${formatByteSize(keeper.rssBytes)} of memory`,
    ...(status.gateway ? [`gateway   pid ${status.gateway.pid}, ${status.gateway.url}`] : []),
    ...(status.openFiles ? [`open      ${openFiles(status.openFiles)}`] : []),
    `recovery  ${status.escrow ? 'yes: sessions survive a crash of the keeper' : 'no: sessions end with the daemon; spool doctor says why'}`,
    `files     ${status.home}`,
    `socket    ${status.socket}`,
  ].join('\n');
}

function openFiles({ limit, used, connections, connectionsMax }: NonNullable<DaemonStatus['openFiles']>): string {
  return `${used} of ${limit} files; ${connections} of ${connectionsMax} connections`;
}

interface StoppedDaemon extends DaemonStatus {
  readonly leftRunning: readonly LeftProcess[];
}

/** Stops the daemon and waits until its processes are gone. Returns null if none was running. */
async function stop(program: ProgramLocation, graceMs: number): Promise<StoppedDaemon | null> {
  const status = await statusOf(program, false);
  if (status === null) return null;
  let leftRunning: readonly LeftProcess[] = [];
  try {
    await using client = await openForRequests(program, { start: false });
    leftRunning = await client.shutdown({ graceMs });
  } catch (error) {
    // It may end before it answers. The loop below checks that it is gone.
    if (!SpoolError.is(error, 'CONNECTION_LOST') && !SpoolError.is(error, 'DAEMON_UNREACHABLE')) throw error;
  }
  const pids = [status.holder.pid, status.keeper.pid, ...(status.gateway ? [status.gateway.pid] : [])];
  const until = performance.now() + END_MS_MAX;
  while (pids.some(isAlive) || (await statusOf(program, false).catch(isStopping)) !== null) {
    if (performance.now() > until) {
      const left = pids.filter(isAlive).join(', ');
      throw new Error(
        `the daemon did not stop; ${left === '' ? 'its socket still answers' : `still running: pid ${left}`}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { ...status, leftRunning };
}

/** Returns whether a stopping daemon may still answer with this error. */
function isStopping(error: unknown): boolean {
  if (SpoolError.is(error, 'DAEMON_STOPPING') || SpoolError.is(error, 'CONNECTION_LOST')) return true;
  throw error;
}

/** Returns whether the process is alive. A zombie (for example in a container without an init) does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // ESRCH: it is gone; EPERM: another user's process has the number now
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' || process.platform !== 'linux';
  }
}
