/** How a session is told to an agent: short, and nothing that it would not ask for. */
import type { SessionInfo } from '@spool/protocol';

const LINE_CHARACTERS_MAX = 120;

/** `running, working: Bash(npm test)`, `running, blocked (permission)`, `failed, exit code 3`. */
export function stateWords(session: SessionInfo): string {
  const { state, status, exitCode, signal } = session;
  if (state !== 'running') {
    if (state === 'lost') return 'lost: the whole daemon died, and its end was not seen';
    return exitCode === null ? `${state}, ${signal ?? 'no exit code'}` : `${state}, exit code ${exitCode}`;
  }
  const kind = status.kind === null ? '' : ` (${status.kind})`;
  const does = status.activity ?? (status.state === 'blocked' ? status.why : null);
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

/** Unless it is only what the command is called. */
function nameOf({ id, name, command: [program = ''] }: SessionInfo): string {
  return name === id || name === program.split('/').at(-1) ? '' : oneLine(name);
}

/** As it was asked for: what a shell was given is the command. */
export function commandText({ command }: Pick<SessionInfo, 'command'>): string {
  const isScript = command.length === 3 && /(^|\/)sh$/.test(command[0]!) && command[1] === '-c';
  return oneLine(isScript ? command[2]! : command.join(' '));
}

/** Control characters and line breaks are spaces; what is too long is cut. */
export function oneLine(text: string, characters = LINE_CHARACTERS_MAX): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return plain.length <= characters ? plain : `${plain.slice(0, characters - 1).trimEnd()}…`;
}
