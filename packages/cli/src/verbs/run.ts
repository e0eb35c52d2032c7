/** `spool run`: starts a command, and follows it unless asked not to. */
import { callerLimits, childEnvironment } from '@spool/client/node';
import type { Size } from '@spool/protocol';
import type { DetachKey } from '@spool/vt';
import { resolve } from 'node:path';
import { labels } from '../labels.ts';
import { permissions } from '../permissions.ts';
import { openClient, type VerbAction } from '../program.ts';
import { sizePolicyOf } from '../size-policy.ts';
import { isTerminal, print, printJson } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';

const SIZE_WITHOUT_TERMINAL: Size = { cols: 80, rows: 24 };

const run: VerbAction<'run'> = async ({ flags, operands }, program) => {
  if (operands[0] === '') throw new UsageError('the command is empty', 'run');
  const isAttached = !flags.detach && !flags.json && !flags.headless && isTerminal(0) && isTerminal(1);
  const options = {
    command: operands,
    cwd: resolve(flags.cwd ?? process.cwd()),
    env: environment(flags.env, flags.inheritEnv),
    name: flags.name,
    labels: labels(flags.label),
    size: flags.headless ? null : (flags.size ?? terminalSize() ?? SIZE_WITHOUT_TERMINAL),
    timeoutMs: flags.timeout,
    sizePolicy: sizePolicyOf(flags.sizePolicy, 'run'),
    retainBytes: flags.retain,
    ...callerLimits(),
  };
  const detachKeys = await detachKeysFor(flags.detachKeys, isAttached);
  await using client = await openClient(program);
  const { info } = await client.run(options);

  if (flags.detach) {
    if (flags.json) printJson(info);
    else print(info.id);
    return 0;
  }
  const calledAs = flags.name ?? info.id;
  if (isAttached) {
    const { attachTerminal } = await import('../terminal-attach.ts');
    return await attachTerminal(client, info, {
      calledAs,
      from: 0,
      isReadOnly: false,
      takeover: false,
      detachKeys,
      ...permissions(flags),
    });
  }
  if (flags.json) printJson({ type: 'started', id: info.id, session: info });
  const { streamSession } = await import('../stream-session.ts');
  const stream = await streamSession(client, info, {
    calledAs,
    from: 0,
    asJson: flags.json,
    isForwarding: !isTerminal(0),
    passesSignals: true,
  });
  return stream.exitCode;
};

export default run;

/** Loaded only for those who need them. */
async function detachKeysFor(text: string | undefined, isAttached: boolean): Promise<readonly DetachKey[]> {
  if (text === undefined && !isAttached) return [];
  return (await import('../detach-keys.ts')).detachKeysOf(text, 'run');
}

/** The harmless part of ours (or all of it), and what was asked for. */
export function environment(asked: readonly string[], inheritsAll: boolean): Record<string, string> {
  const extra: Record<string, string> = {};
  for (const text of asked) {
    const equals = text.indexOf('=');
    const key = equals === -1 ? text : text.slice(0, equals);
    if (key === '')
      throw new UsageError(`--env ${JSON.stringify(text)} has no name; write KEY=VALUE, or KEY to copy yours`, 'run');
    const value = equals === -1 ? process.env[key] : text.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--env ${key}: you have no such variable; write ${key}=VALUE`, 'run');
    extra[key] = value;
  }
  return childEnvironment(process.env, inheritsAll ? { ...ownVariables(), ...extra } : extra);
}

function terminalSize(): Size | undefined {
  if (!isTerminal(1)) return undefined;
  const [cols, rows] = process.stdout.getWindowSize();
  return cols > 0 && rows > 0 ? { cols, rows } : undefined;
}

/** These speak of the terminal and the session that we are in ourselves; the new session has its own. */
const NOT_INHERITED = ['SPOOL_SESSION', 'SPOOL_SOCKET', 'TERM', 'COLORTERM', 'TERMCAP', 'LINES', 'COLUMNS'] as const;

function ownVariables(): Record<string, string | undefined> {
  const own: Record<string, string | undefined> = { ...process.env };
  for (const name of NOT_INHERITED) delete own[name];
  return own;
}
