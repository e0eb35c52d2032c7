/**
 * The name of a session's question in notifications. A request of an agent is named by its digest, which its status lists. The
 * question of a program in a terminal has no id: its name is derived from the session, the words of the question and its answers,
 * and its time. Another question, or the same one asked again, has another name. Keeps NOTE-3.
 */
import { createHash } from 'node:crypto';
import type { OpenRequest, Question } from '@spool/protocol';

/** The length of the hash, 132 bits. */
const HASH_CHARACTERS = 22;

export interface Action {
  /**
   * The id of an answer. In a terminal it is the place of the answer in the question; for an agent, `option:` and the id of the
   * option, or `allow` or `deny` without options.
   */
  readonly id: string;
  readonly label: string;
  /** Whether an answer to an agent allows the request. */
  readonly isAllowing?: boolean;
  /** The id of the agent's option. */
  readonly option?: string;
}

export interface PendingAsk {
  readonly question?: Question | undefined;
  readonly since?: number | undefined;
  readonly request?: OpenRequest | undefined;
}

/** Returns the name of the question; null if there is none. */
export function askOf(session: string, { question, since, request }: PendingAsk): string | null {
  if (request) return `${session}-${request.digest}`;
  if (question === undefined || since === undefined) return null;
  const { text, subject = null, options } = question;
  const words = JSON.stringify([since, text, subject, options.map(({ label }) => label)]);
  return `${session}-${createHash('sha256').update(words).digest('base64url').slice(0, HASH_CHARACTERS)}`;
}

export function sessionOf(ask: string): string {
  return ask.split('-', 1)[0]!;
}

/** Returns the pending request that a name refers to. */
export function requestOf(ask: string, requests: readonly OpenRequest[]): OpenRequest | undefined {
  return requests.find((request) => ask === askOf(sessionOf(ask), { request }));
}

/** Returns the answers to a question on a screen that can be given remotely: by a key that the screen shows. */
export function actionsOf(question: Question | undefined): readonly Action[] {
  return (question?.options ?? []).flatMap(({ key, label }, index) =>
    key === null ? [] : [{ id: String(index), label }],
  );
}
