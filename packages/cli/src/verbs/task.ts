/** `spool task`: commands that are run to completion. A task is a session, so all other verbs accept it too. */
import { type Client, DEFAULT_SIZE, processIdentity, type RunOptions } from '@spool/client/node';
import { type SessionInfo, SpoolError, taskOf, taskQuestion } from '@spool/protocol';
import { longDuration } from '@spool/protocol/duration';
import { reportFailure } from '../command-line/failure.ts';
import { labels } from '../command-line/labels.ts';
import { ownCommand } from '../output/own-command.ts';
import { printable } from '../output/printable.ts';
import { openClient, type ProgramLocation, type VerbAction } from '../program.ts';
import { notice, print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import { endLines, waitingWords } from '../tasks/line.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { ArgumentsOf } from '../command-line/verb-table.ts';
import { runPlace } from '../remote/run-place.ts';

type Flags = ArgumentsOf<'task'>['flags'];

const SHELL = '/bin/sh';

/** The same limit as in the SDK. */
const TIMEOUT_MS = 300_000;

/** The number of ended tasks listed without --all. */
const ENDED_SHOWN = 20;

const task: VerbAction<'task'> = async ({ flags, operands }, program) => {
  const [what, ...rest] = operands;
  switch (what) {
    case 'run':
      return await run(flags, rest, program);
    case 'wait':
      return await wait(flags, rest, program);
    case 'ls':
      return await list(flags, program);
    case 'logs':
      return await logs(flags, rest, program);
    case 'cancel':
      return await cancel(flags, rest, program);
    default:
      throw new UsageError(
        `unknown action \`task ${what}\`; use run, ls, wait, logs or cancel; a command follows run --`,
        'task',
      );
  }
};

export default task;

async function run(flags: Flags, operands: readonly string[], program: ProgramLocation): Promise<number> {
  const command = commandOf(flags.shell, operands);
  const options = {
    command,
    name: flags.name,
    ...runPlace(program, flags, { isTask: true }),
    labels: labels(flags.label),
    size: flags.pipes ? null : (flags.size ?? DEFAULT_SIZE),
    timeoutMs: limitOf(flags.timeout ?? TIMEOUT_MS),
    isTask: true,
    ...(program.host() === null ? ownersOf(flags) : noOwners(flags)),
  };
  await using client = await openClient(program);
  const { info } = await client.run(options);
  if (flags.pipes) await closeInput(client, info.id);
  if (!flags.detach) return await show(client, [info], flags);
  if (flags.json) printJson({ ...taskOf(info), taskId: info.id });
  else print(info.id);
  return 0;
}

function limitOf(ms: number | undefined): number | undefined {
  return ms === Infinity ? undefined : ms;
}

/**
 * Returns the owners of a task. In the foreground a tied task has two owners: this process, and the one that called it. In the
 * background it has only the latter. All other tasks store their caller, for `--mine`.
 */
function ownersOf({ withMe, owner, detach }: Flags): Pick<RunOptions, 'owners' | 'whileOwner'> {
  const named = owner ?? process.ppid;
  const identity = named > 1 ? processIdentity(named) : null;
  const isTied = withMe || owner !== undefined;
  if (identity === null && isTied) {
    const what = owner === undefined ? 'the program that called spool' : `process ${owner}`;
    throw new UsageError(`${what} is gone, or cannot be seen from here: the task would not be stopped with it`, 'task');
  }
  if (identity === null) return {};
  const self = detach || !isTied ? null : processIdentity();
  return { owners: self === null ? [identity] : [identity, self], whileOwner: isTied };
}

/** Refuses owners, because a process of another machine cannot be watched from there. */
function noOwners({ withMe, owner }: Flags): Record<never, never> {
  if (!withMe && owner === undefined) return {};
  throw new UsageError('a task on another machine cannot be tied to a process of this one; use --timeout', 'task');
}

function commandOf(shell: string | undefined, operands: readonly string[]): readonly string[] {
  if (shell !== undefined && operands.length > 0) throw new UsageError('use COMMAND or --shell, not both', 'task');
  if (shell !== undefined) return [SHELL, '-c', shell];
  if (operands[0] === undefined || operands[0] === '')
    throw new UsageError("`task run` needs a COMMAND, or --shell 'COMMAND'", 'task');
  return operands;
}

/** Closes the input: a task on pipes gets none. */
async function closeInput(client: Client, id: string): Promise<void> {
  try {
    await client.closeInput(id);
  } catch (error) {
    if (!SpoolError.is(error, 'SESSION_EXITED')) throw error; // it has already ended
  }
}

async function wait(flags: Flags, operands: readonly string[], program: ProgramLocation): Promise<number> {
  await using client = await openClient(program);
  const named = await Promise.all(operands.map((operand) => client.get(operand)));
  const sessions =
    operands.length > 0
      ? [...new Map(named.map((session) => [session.id, session])).values()]
      : (await tasksOf(client)).filter(({ state }) => state === 'running');
  if (sessions.length === 0) {
    notice('No task is running.');
    return 0;
  }
  return await show(client, sessions, flags, limitOf(flags.timeout));
}

async function show(
  client: Client,
  sessions: readonly SessionInfo[],
  { verbose: isVerbose, json: asJson }: Flags,
  timeoutMs?: number,
): Promise<number> {
  const { showTasks } = await import('../tasks/show.ts');
  return await showTasks(client, sessions, { isVerbose, asJson, timeoutMs });
}

async function list(flags: Flags, program: ProgramLocation): Promise<number> {
  await using client = await openClient(program);
  const all = (await tasksOf(client)).filter((session) => !flags.mine || isOfCaller(session));
  if (flags.json) {
    printJson(
      all.map((session) => {
        const { command, status, milestone } = session;
        return { ...taskOf(session), command, status, milestone };
      }),
    );
    return 0;
  }
  const ended = all.filter(({ state }) => state !== 'running');
  const shown = [...all.filter(({ state }) => state === 'running'), ...(flags.all ? ended : ended.slice(-ENDED_SHOWN))];
  if (shown.length === 0) notice(`There are no tasks. Start one with: ${ownCommand(['task', 'run', '--', 'COMMAND'])}`);
  else print(tableOf(shown, Date.now(), terminalWidth()).join('\n'));
  if (shown.length < all.length) notice(`${all.length - shown.length} more ended; spool task ls --all lists them`);
  return 0;
}

/** Its owners are recorded with their start times, so that a reused pid is not mistaken for one. */
function isOfCaller({ startedBy }: SessionInfo): boolean {
  const caller = processIdentity(process.ppid);
  return (
    startedBy?.owners.some(({ pid, startTicks }) => caller?.pid === pid && caller.startTicks === startTicks) ?? false
  );
}

/** Returns the tasks, oldest first. */
async function tasksOf(client: Client): Promise<readonly SessionInfo[]> {
  return client.list({ isTask: true });
}

export function tableOf(sessions: readonly SessionInfo[], now: number, width: number | undefined): string[] {
  const columns = [
    { title: 'ID', matters: 1 },
    { title: 'NAME', matters: 6, least: 8, fair: 24 },
    { title: 'STATE', matters: 5 },
    { title: 'TOOK', matters: 4, right: true },
    { title: 'EXIT', matters: 2, right: true },
    { title: 'MILESTONE', matters: 3, least: 10 },
  ] as const;
  const rows = sessions.map((session) => {
    const { name } = session; // two tasks may have the same name, but their sessions do not
    const { id, state, startedAt, finishedAt, exitCode } = taskOf(session);
    const exit = exitCode ?? session.signal ?? '';
    const question = session.state === 'running' ? taskQuestion(session.status) : null;
    const milestone = question === null ? printable(session.milestone?.title ?? '') : waitingWords(name, question);
    return [id, printable(name), state, longDuration((finishedAt ?? now) - startedAt), String(exit), milestone];
  });
  return formatTable(columns, rows, width);
}

const NO_LOGS_FLAGS = {
  tailBytes: undefined,
  since: undefined,
  until: undefined,
  grep: undefined,
  context: undefined,
  ignoreCase: false,
  timestamps: false,
  frames: false,
  full: false,
  text: false,
  stdout: false,
  stderr: false,
  force: false,
};

async function logs(flags: Flags, operands: readonly string[], program: ProgramLocation): Promise<number> {
  if (operands.length > 1) throw new UsageError('`task logs` takes only one ID', 'task');
  const { default: action } = await import('./logs.ts');
  const id = operands[0] ?? (await latestTask(program));
  const { follow, tail, raw, json } = flags;
  return await action({ flags: { ...NO_LOGS_FLAGS, follow, tail, raw, json }, operands: [id] }, program);
}

async function latestTask(program: ProgramLocation): Promise<string> {
  await using client = await openClient(program);
  const latest = (await tasksOf(client)).at(-1);
  if (latest === undefined) throw new SpoolError('TASK_NONE');
  return latest.id;
}

async function cancel(flags: Flags, operands: readonly string[], program: ProgramLocation): Promise<number> {
  if (operands.length === 0) throw new UsageError('`task cancel` needs an ID; spool task ls lists them', 'task');
  await using client = await openClient(program);
  const outcomes = await Promise.allSettled(operands.map((operand) => client.cancelTask(operand)));
  const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const result of results) {
    if (flags.json) printJson(result);
    else print(endLines(result, true).join('\n'));
  }
  let exitCode = 0;
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') exitCode ||= reportFailure(outcome.reason, flags.json);
  }
  return exitCode;
}
