/** Describes a session to an agent, as briefly as possible. */
import { askingSentence, type SessionInfo } from '@spool/protocol';

const LINE_CHARACTERS_MAX = 120;

/** `running, working: Bash(npm test)`, `running, blocked (permission)`, `failed, exit code 3`. */
export function stateWords(session: SessionInfo): string {
  const { state, status, exitCode, signal } = session;
  if (state !== 'running') {
    if (state === 'lost') return 'lost: the daemon died, so its exit code is unknown';
    return exitCode === null ? `${state}, ${signal ?? 'no exit code'}` : `${state}, exit code ${exitCode}`;
  }
  const kind = status.kind === null ? '' : ` (${status.kind})`;
  const does =
    askingSentence(status.agent, status.question) ??
    status.activity ??
    (status.state === 'blocked' ? status.why : null);
  return `running, ${status.state}${kind}${does === null ? '' : `: ${oneLine(does)}`}`;
}

/** `k3f9x0a1b2 api: running, idle (prompt); npm run dev`. */
export function listLine(session: SessionInfo): string {
  const { id, milestone } = session;
  return [
    `${id}${nameOf(session) === '' ? '' : ` ${nameOf(session)}`}: ${stateWords(session)}`,
    ...(milestone === null ? [] : [oneLine(milestone.title)]),
    commandText(session),
  ].join('; ');
}

/** Empty if the name is only the name of the command. */
function nameOf({ id, name, command: [program = ''] }: SessionInfo): string {
  return name === id || name === program.split('/').at(-1) ? '' : oneLine(name);
}

/** The command as requested: for `sh -c`, only the script. */
export function commandText({ command }: Pick<SessionInfo, 'command'>): string {
  const isScript = command.length === 3 && /(^|\/)sh$/.test(command[0]!) && command[1] === '-c';
  return oneLine(isScript ? command[2]! : command.join(' '));
}

/** Replaces control characters and line breaks with spaces, and truncates long text. */
export function oneLine(text: string, characters = LINE_CHARACTERS_MAX): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return plain.length <= characters ? plain : `${plain.slice(0, characters - 1).trimEnd()}…`;
}
