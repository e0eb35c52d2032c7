/** `spool run`: starts a command and attaches to it (with --detach: only starts it). Keeps RUN-45. */
import type { Client } from '@spool/client/node';
import { type Size, SpoolError, type TerminalColours } from '@spool/protocol';
import type { DetachKey } from '@spool/vt';
import { fstatSync, statSync } from 'node:fs';
import { labels } from '../command-line/labels.ts';
import { droppedKeys, droppedKeysHint } from '../command-line/dropped-keys.ts';
import { userSettings } from '../command-line/user-settings.ts';
import { userShell } from '../command-line/user-shell.ts';
import { permissions } from '../command-line/permissions.ts';
import { openClient, type VerbAction } from '../program.ts';
import { requestedVariables } from '../remote/run-environment.ts';
import { runPlace } from '../remote/run-place.ts';
import { isEnded } from '../output/session-words.ts';
import { sizePolicyOf } from '../command-line/size-policy.ts';
import { hasInput, refuseFolder } from '../output/stdin.ts';
import { checkJsonOutput, wantsEvents, writeInBackground } from '../session-output/json-output-flags.ts';
import { isTerminal, notice, print, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

const SIZE_WITHOUT_TERMINAL: Size = { cols: 80, rows: 24 };

const run: VerbAction<'run'> = async ({ flags, operands }, program) => {
  if (operands[0] === '') throw new UsageError('the command is empty', 'run');
  checkJsonOutput(flags, 'run');
  if (flags.summary && flags.detach) throw new UsageError('--summary cannot be combined with --detach', 'run');
  if (flags.raw && (flags.detach || flags.json))
    throw new UsageError(`--raw cannot be combined with --${flags.detach ? 'detach' : 'json'}`, 'run');
  if (flags.agent !== undefined) {
    const { agent } = flags;
    const { runAgent } = await import('../agents/run-agent.ts');
    const { env } = runPlace(program, flags);
    await using client = await openClient(program);
    if (!flags.quiet && !flags.json && !client.isRemote) tellDropped([agent], env);
    return await runAgent(
      client,
      { ...flags, agent },
      {
        text: operands.join(' '),
        env,
        keptEnv: Object.keys(requestedVariables(flags.env)),
        labels: labels(flags.label),
      },
    );
  }
  const isAttached = !flags.detach && !flags.json && !flags.headless && isTerminal(0) && isTerminal(1);
  if (!isAttached && !flags.detach) refuseFolder('run');
  const settings = userSettings({ isQuiet: flags.quiet || flags.json });
  const options = {
    // On another machine, its user's shell is used.
    command: operands.length > 0 || program.host() !== null ? operands : [userShell()],
    ...runPlace(program, flags),
    name: flags.name,
    labels: labels(flags.label),
    size: flags.headless ? null : (flags.size ?? terminalSize() ?? SIZE_WITHOUT_TERMINAL),
    timeoutMs: flags.timeout,
    idleTimeoutMs: flags.idleTimeout,
    sizePolicy: sizePolicyOf(flags.sizePolicy, 'run') ?? settings.sizePolicy,
    // Piped input is not typed, because the output would then contain it twice.
    echo: isAttached || flags.detach || isTerminal(0) || isNothing(0) ? undefined : false,
    retainBytes: flags.retain ?? settings.retain ?? undefined,
    sideChannel: flags.noSideChannel ? false : undefined,
    colours: flags.headless ? undefined : await assumedColours(),
  };
  const detachKeys = await detachKeysFor(flags.detachKeys, isAttached, settings.detachKeys);
  await using client = await openClient(program);
  const { info } = await client.run(options);
  if (!flags.quiet && !flags.json && !(flags.jsonOutput && flags.jsonFile === undefined))
    tellDropped(options.command, options.env);

  if (flags.detach) {
    if (hasInput() && !flags.quiet && !flags.json)
      notice(`spool: stdin was not read: with --detach, send input with: spool send ${info.name} TEXT`);
    if (flags.jsonFile !== undefined) writeInBackground(info.id, flags.jsonFile, flags.flushMs);
    if (flags.json) printJson(info);
    else print(info.id);
    return 0;
  }
  const calledAs = info.name;
  await using events = wantsEvents(flags)
    ? (await import('../session-output/output-events.ts')).tellOutput(client, info, calledAs, {
        file: flags.jsonFile,
        flushMs: flags.flushMs,
      })
    : undefined;
  const exitCode = isAttached ? await attachHere() : await streamHere();
  if (flags.summary) await tellSummary(client, info.id, flags.json);
  return exitCode;

  async function attachHere(): Promise<number> {
    const { attachTerminal } = await import('../attach/terminal-attach.ts');
    return await attachTerminal(client, info, {
      calledAs,
      from: 0,
      isReadOnly: false,
      takeover: false,
      showsNotices: !flags.noNotices,
      isQuiet: flags.quiet || events?.isOnStderr === true,
      detachKeys,
      tell: flags.quiet ? () => {} : events?.isOnStderr ? print : undefined,
      ...permissions(flags),
    });
  }

  async function streamHere(): Promise<number> {
    if (flags.json) printJson({ type: 'started', id: info.id, name: info.name, session: info });
    const { streamSession } = await import('../attach/stream-session.ts');
    const stream = await streamSession(client, info, {
      calledAs,
      from: 0,
      asJson: flags.json,
      asText: !flags.json && !flags.raw && info.size !== null && !isTerminal(1),
      isForwarding: !isTerminal(0),
      endsInput: 'always',
      passesSignals: true,
      permissions: permissions(flags),
      omitsStderr: events?.isOnStderr,
      tell: flags.quiet ? () => {} : events?.isOnStderr ? events.notice : undefined,
    });
    return stream.exitCode;
  }
};

export default run;

/** Prints to stderr, so that stdout has only the output of the command. A session that is still running gets no summary. */
async function tellSummary(client: Client, id: string, asJson: boolean): Promise<void> {
  try {
    if (!isEnded(await client.get(id))) return;
    const { summaryText } = await import('../session-output/summary-text.ts');
    notice(`${asJson ? '' : '\n'}${await summaryText(client, id, asJson)}`);
  } catch (error) {
    if (!SpoolError.is(error, 'SESSION_UNKNOWN')) throw error; // it was removed meanwhile
  }
}

function tellDropped(command: readonly string[], env: Readonly<Record<string, string>>): void {
  const names = droppedKeys(command, process.env, env);
  const hint = names.length === 0 ? null : droppedKeysHint(command[0]!.split('/').at(-1)!, names);
  if (hint !== null) notice(hint);
}

/** Loaded only when needed. */
async function detachKeysFor(
  text: string | undefined,
  isAttached: boolean,
  configured: string | null,
): Promise<readonly DetachKey[]> {
  if (text === undefined && !isAttached) return [];
  return (await import('../attach/detach-keys.ts')).detachKeysOf(text, 'run', configured);
}

/** Returns the colours that answer the first query, until a terminal reports its own. Loaded only when needed. */
async function assumedColours(): Promise<TerminalColours | undefined> {
  if (process.env.COLORFGBG === undefined) return undefined;
  return (await import('../attach/terminal-colours.ts')).environmentColours(process.env);
}

/** The input is /dev/null: a terminal that someone attaches later echoes as usual. */
function isNothing(fd: number): boolean {
  return fstatSync(fd).rdev === statSync('/dev/null').rdev;
}

function terminalSize(): Size | undefined {
  if (!isTerminal(1)) return undefined;
  const [cols, rows] = process.stdout.getWindowSize();
  return cols > 0 && rows > 0 ? { cols, rows } : undefined;
}
