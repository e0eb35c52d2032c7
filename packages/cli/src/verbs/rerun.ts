/**
 * `spool rerun`: starts the command of an ended session again, in its folder, as a new session. An agent continues its own
 * conversation. If one of several sessions cannot be started, this is reported, and the others are started. Keeps RUN-50, RUN-51 and RUN-52.
 */
import { agentEnvironment, type Client } from '@spool/client/node';
import { isHeadless, type SessionInfo, SpoolError } from '@spool/protocol';
import { confirm } from '../command-line/confirm.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice, print, printJson } from '../output/stdio.ts';
import { openClient, type ProgramLocation, type VerbAction } from '../program.ts';
import { runPlace } from '../remote/run-place.ts';

/** The label of a new session that names the old one, so that a second `rerun --lost` does not start it again. */
const RERUN_OF = 'rerun-of';

/** The daemon shortens a long command, and marks that with this character. */
const ELLIPSIS = '…';

const rerun: VerbAction<'rerun'> = async ({ flags, operands }, program) => {
  if (flags.lost === operands.length > 0) throw new UsageError('name the sessions, or use --lost', 'rerun');
  await using client = await openClient(program);
  const chosen = flags.lost ? await lostSessions(client) : await Promise.all(operands.map((id) => client.get(id)));
  if (flags.lost && !(await isConfirmed(chosen, flags))) return EXIT.notAllowed;
  let failures = 0;
  for (const session of chosen) {
    try {
      check(session);
      const started = await startAgain(client, program, session);
      if (flags.json) printJson(started);
      else print(started.id);
    } catch (error) {
      if (chosen.length === 1) throw error;
      failures++;
      notice(`spool: ${printable(session.name)} (${session.id}): ${printable((error as Error).message)}`);
    }
  }
  return failures === 0 ? 0 : EXIT.failed;
};

export default rerun;

/** Returns the lost sessions that no later session has replaced. */
async function lostSessions(client: Client): Promise<readonly SessionInfo[]> {
  const all = await client.list();
  const replaced = new Set(all.flatMap(({ labels, driver }) => [labels[RERUN_OF], driver?.resumes?.session]));
  return all.filter(({ state, id }) => state === 'lost' && !replaced.has(id));
}

function check({ name, state, command }: SessionInfo): void {
  if (state === 'running')
    throw new SpoolError('NOT_ALLOWED', { reason: `${name} is still running; spool run starts the command beside it` });
  if (command.at(-1)?.endsWith(ELLIPSIS))
    throw new SpoolError('NOT_ALLOWED', {
      reason: `the command of ${name} is too long to be known in full; run it again by hand`,
    });
}

/** Prints the list, and asks the user. A program confirms with --yes. */
async function isConfirmed(chosen: readonly SessionInfo[], flags: { readonly yes: boolean }): Promise<boolean> {
  if (chosen.length === 0) {
    notice('No session is lost.');
    return true;
  }
  for (const { id, name, cwd, command } of chosen)
    notice(`${id}  ${printable(name)}  ${printable(cwd)}  ${printable(command.join(' '))}`);
  if (flags.yes) return true;
  if (!isTerminal(0) || !isTerminal(2))
    throw new SpoolError('NOT_ALLOWED', { reason: 'use --yes to start them without a question' });
  return await confirm(`Start ${chosen.length === 1 ? 'it' : `these ${chosen.length}`} again?`);
}

async function startAgain(client: Client, program: ProgramLocation, session: SessionInfo): Promise<SessionInfo> {
  const { env, cwd: _here, ...limits } = runPlace(program, { env: [], inheritEnv: false });
  if (isHeadless(session)) {
    const agent = await client.resumeAgent(session.id, {
      env: client.isRemote ? env : { ...agentEnvironment(session.driver!.name), ...env },
    });
    return await client.get(agent.id);
  }
  const { info } = await client.run({
    command: session.driver === undefined ? session.command : await client.commandAgain(session.id),
    cwd: session.cwd,
    size: session.size,
    sizePolicy: session.sizePolicy,
    timeoutMs: session.timeoutMs ?? undefined,
    name: session.name,
    labels: { ...session.labels, [RERUN_OF]: session.id },
    env,
    ...limits,
  });
  return info;
}
