/**
 * Checks commands for agents: each `do` has a row in the table of roles. Below operator, a prompt is text, an answer is for the
 * one request that was shown, with the input that was shown, and all other fields about rights are replaced. Keeps DOOR-43 and
 * DOOR-44.
 */
import { COMMAND_ROLES, findControlCharacter, mayDo, type Role, SpoolError } from '@spool/protocol';
import { tooLow } from './refusal.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The contents of a prompt that are only text or an image. Other parts name files and addresses that the agent would read with the
 * rights of its user.
 */
const SAID_CONTENTS: ReadonlySet<unknown> = new Set(['text', 'image']);

/** The texts that agents take as their own commands: `/model opus`, and not `/etc/hosts is wrong`. */
const SLASH_COMMAND = /^\s*\/[^\s/]+(\s|$)/u;

/** Throws if the role may not send this command. The keeper refuses a request without a command. */
export function checkCommand(role: Role, given: unknown): void {
  if (given === undefined) return;
  const command = Object(given) as Json;
  const what = String(command['do']).slice(0, 40);
  // A command that is unknown to this version may have any effect.
  if (!Object.hasOwn(COMMAND_ROLES, what)) throw new SpoolError('REQUEST_UNKNOWN', { op: `command ${what}` });
  const needed = COMMAND_ROLES[what as keyof typeof COMMAND_ROLES];
  if (!mayDo(role, needed)) throw tooLow(`command ${what}`, role, needed);
  if (mayDo(role, 'operator')) return;
  if (what === 'permission' && Object.hasOwn(command, 'input'))
    throw tooLow('permission with another input', role, 'operator');
  // The text of a denial becomes a prompt if the agent's protocol has no field for it.
  checkSlash(role, command['message']);
  if (Object.hasOwn(command, 'content')) checkContent(role, what, command['content']);
}

function checkContent(role: Role, what: string, content: unknown): void {
  for (const part of Array.isArray(content) ? (content as unknown[]) : []) {
    const { type, text, uri } = Object(part) as Json;
    if (!SAID_CONTENTS.has(type) || uri !== undefined)
      throw tooLow(`${what} with more than text and pictures`, role, 'operator');
    if (type === 'text') checkSlash(role, text);
  }
}

/** Throws if this is not text for the program's input line, but keys or a command of the program itself. */
export function checkPromptText(role: Role, text: unknown): void {
  if (mayDo(role, 'operator') || typeof text !== 'string') return;
  if (findControlCharacter(text) !== null) throw tooLow('prompt with control characters', role, 'operator');
  checkSlash(role, text);
}

/** Throws for a prompt that agents take as their own command, which is for operators. */
function checkSlash(role: Role, text: unknown): void {
  if (typeof text === 'string' && SLASH_COMMAND.test(text))
    throw tooLow('prompt that is a slash command', role, 'operator');
}

/** Returns the command in the form that the role may send. */
export function commandForRole(role: Role, given: unknown): unknown {
  const command = Object(given) as Json;
  if (command['do'] !== 'permission' || mayDo(role, 'operator')) return given;
  return { ...command, once: true };
}
