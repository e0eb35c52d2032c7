/**
 * The note of the audit log about a command for an agent: the command and, of an answer, the tool, the input and the digest of
 * its request, never the agent's own words about it. Keeps DOOR-50, and REQ-8 in the audit log.
 */
import type { Client, RequestEvent } from '@spool/client';
import { visible, visibleTitle } from '@spool/protocol';
import { requestSubject } from '@spool/protocol/agent';
import type { Directory } from './guard/scope.ts';
import type { Request } from './guard/requests.ts';

type Json = Readonly<Record<string, unknown>>;

/** The maximum length of an id; the schema of the audit log allows 500 characters in total. */
const ID_CHARACTERS_MAX = 60;
const NAME_CHARACTERS_MAX = 60;
const SUBJECT_CHARACTERS_MAX = 180;
const NOTE_CHARACTERS_MAX = 500;

/** Returns the pending request with this id; null if there is none. */
export async function openRequest(keeper: Client, session: string, request: string): Promise<RequestEvent | null> {
  return await (await keeper.openAgent(session)).request(request);
}

/** Returns the note for a command. The command is passed on even if the lookup fails. */
export async function answerNote(
  directory: Pick<Directory, 'openRequest'>,
  session: string,
  given: unknown,
): Promise<string> {
  const command = Object(given) as Json;
  const what = short(command['do']);
  if (command['do'] !== 'permission' && command['do'] !== 'answer') return what;
  const request = String(command['request']);
  const event = await directory.openRequest(session, request).catch(() => null);
  const words = [
    what,
    ...['behavior', 'option'].flatMap((key) => (command[key] === undefined ? [] : [`${key} ${short(command[key])}`])),
    ...(Object.hasOwn(command, 'input') ? ['with another input'] : []),
    `request ${short(request)}`,
    ...(command['digest'] === undefined ? [] : [`digest shown ${short(command['digest'])}`]),
    event === null ? 'which does not wait' : requestWords(event),
  ];
  return words.join(', ').slice(0, NOTE_CHARACTERS_MAX);
}

function requestWords(event: RequestEvent): string {
  if (event.kind === 'question.asked')
    return `a question: ${visibleTitle(event.questions[0]?.text ?? '', SUBJECT_CHARACTERS_MAX)}`;
  const name = visibleTitle(event.name ?? 'a tool without a name', NAME_CHARACTERS_MAX);
  return `digest ${short(event.digest)}, ${name}: ${requestSubject(event, SUBJECT_CHARACTERS_MAX)}`;
}

/** Returns a person's answer to the question of a program on its screen. */
export function screenAnswerNote(request: Request): { readonly note?: string } {
  if (request.op !== 'answer') return {};
  const { text, subject } = Object(request['question']) as Json;
  const about = [text, subject].flatMap((each) => (typeof each === 'string' ? [visibleTitle(each, 180)] : []));
  return { note: `“${short(request['option'])}” to: ${about.join(' ')}`.slice(0, NOTE_CHARACTERS_MAX) };
}

function short(value: unknown): string {
  const text = String(value);
  return visible(text.length > ID_CHARACTERS_MAX ? `${text.slice(0, ID_CHARACTERS_MAX)}…` : text);
}
