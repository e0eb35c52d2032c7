/** Describes a session to an agent, as briefly as possible. */
import { askingSentence, type SessionInfo, visibleTitle, type VisibleText } from '@spool/protocol';

const LINE_CHARACTERS_MAX = 120;
const SHORT_CHARACTERS_MAX = 60;

/** Returns the state in words: `running, working: Bash(npm test)`, `running, blocked (permission)`, `failed, exit code 3`. */
export function wordState(session: SessionInfo): string {
  const { state, status, exitCode, signal } = session;
  if (state !== 'running') {
    if (state === 'lost') return 'lost: the daemon died, so its exit code is unknown';
    return exitCode === null ? `${state}, ${signal ?? 'no exit code'}` : `${state}, exit code ${exitCode}`;
  }
  const kind = status.kind === null ? '' : ` (${status.kind})`;
  const does =
    requestWords(status) ??
    askingSentence(status.agent, status.question) ??
    status.activity ??
    (status.state === 'blocked' ? status.why : null);
  return `running, ${status.state}${kind}${does === null ? '' : `: ${oneLine(does)}`}`;
}

/** Returns the request of an agent without a terminal, if it fits; otherwise its length and how to read it. */
function requestWords({ agent, question, requests = [] }: SessionInfo['status']): string | null {
  const [first] = requests;
  if (!first || !question) return null;
  const others = requests.length === 1 ? '' : `, ${requests.length - 1} more`;
  const whole = askingSentence(agent, question) ?? '';
  if (whole.length + others.length <= LINE_CHARACTERS_MAX) return `${whole}${others}`;
  return `${oneLine(question.text, SHORT_CHARACTERS_MAX)} (${first.bytes} bytes: spool_read shows them)${others}`;
}

/** Returns a session in one line: `k3f9x0a1b2 api: running, idle (prompt); npm run dev`. */
export function listLine(session: SessionInfo): string {
  const { id, milestone } = session;
  return [
    `${id}${nameOf(session) === '' ? '' : ` ${nameOf(session)}`}: ${wordState(session)}`,
    ...(milestone === null ? [] : [oneLine(milestone.title)]),
    showCommand(session),
  ].join('; ');
}

/** Returns '' if the name is only that of the command. */
function nameOf({ id, name, command: [program = ''] }: SessionInfo): string {
  return name === id || name === program.split('/').at(-1) ? '' : oneLine(name);
}

/** Returns the command as requested: for `sh -c`, only the script. */
function showCommand({ command }: Pick<SessionInfo, 'command'>): string {
  const isScript = command.length === 3 && /(^|\/)sh$/.test(command[0]!) && command[1] === '-c';
  return oneLine(isScript ? command[2]! : command.join(' '));
}

/**
 * Returns a text in one line: line breaks and invisible characters are spelled out, and a long text ends with the number of
 * characters that are left out.
 */
export function oneLine(text: string, characters = LINE_CHARACTERS_MAX): VisibleText {
  return visibleTitle(text, characters);
}

/** Returns a session as data: the facts that its line has. Absent values are omitted, because not every reader supports null. */
export function sessionData(session: SessionInfo): Readonly<Record<string, unknown>> {
  const { id, name, state, status, exitCode, signal, offset, cwd } = session;
  return {
    id,
    name,
    state,
    status: { state: status.state, ...(status.kind !== null && { kind: status.kind }) },
    offset,
    cwd,
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
    ...(status.question && {
      question: { text: status.question.text, options: status.question.options.map(({ label }) => label) },
    }),
  };
}
