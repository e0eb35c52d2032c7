/** Formats an error as a sentence: its text from the table, with the names and reasons of its details inserted. */
import type { ErrorDetails } from './errors.ts';

/** Details that name the subject of the sentence, with the noun that the quoted name follows. */
const SUBJECTS: Readonly<Record<string, string>> = {
  argument: 'argument',
  session: 'session',
  command: 'command',
  key: 'key',
  pattern: 'pattern',
  until: 'condition',
  context: 'context',
  file: 'file',
  name: 'name',
  cwd: 'folder',
  folder: 'folder',
  path: 'path',
};
/** The details that the sentence already contains. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['op', 'field', 'kind']);
/** Details that are separate clauses. They follow the first clause. */
const REASONS = ['reason', 'message'] as const;

/** Returns `the session "x" has ended: REASON; …`: the quoted subject follows its noun, or else the first clause. */
export function errorSentence(text: string, found: ErrorDetails): string {
  const semicolon = text.indexOf(';');
  const [first, rest] = semicolon === -1 ? [text, ''] : [text.slice(0, semicolon), text.slice(semicolon)];
  const details = { ...found };
  const key = Object.keys(SUBJECTS).find((name) => Object.hasOwn(details, name));
  const subject = key === undefined ? undefined : take([key]);
  const reason = take(REASONS);
  const others = Object.entries(details)
    .filter(([name, value]) => value !== '' && !FOR_PROGRAMS.has(name))
    .map(([name, value]) => `${words(name)}: ${value}`);
  return [
    key === undefined || subject === '' ? first : withSubject(first, SUBJECTS[key]!, JSON.stringify(subject)),
    reason === undefined ? '' : `: ${reason}`,
    rest,
    others.length === 0 ? '' : ` (${others.join(', ')})`,
  ].join('');

  function take(names: readonly string[]): string | number | boolean | undefined {
    const name = names.find((key) => Object.hasOwn(details, key));
    if (name === undefined) return undefined;
    const value = details[name];
    delete (details as Record<string, unknown>)[name];
    return value;
  }
}

/** Splits a name into words: `queuedBytes` is `queued bytes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function withSubject(clause: string, noun: string, quoted: string): string {
  const at = clause.search(new RegExp(`\\b${noun}\\b`));
  const end = at === -1 ? clause.length : at + noun.length;
  return `${clause.slice(0, end)} ${quoted}${clause.slice(end)}`;
}
