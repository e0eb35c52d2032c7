/**
 * A question of a session, as notifications name it. The name is made of the session, the words of the question and its answers, and
 * when it was asked: another question, or the same one asked again, has another name. Keeps NOTE-3.
 */
import { createHash } from 'node:crypto';
import type { Question, SessionInfo } from '@spool/protocol';

/** 132 bits. */
const HASH_CHARACTERS = 22;

export interface Action {
  /** The place of the answer in the question. */
  readonly id: string;
  readonly label: string;
}

type Asking = { readonly question?: Question | undefined; readonly since?: number | undefined };

/** Null if nothing is asked. */
export function askOf(session: string, { question, since }: Asking): string | null {
  if (question === undefined || since === undefined) return null;
  const { text, subject = null, options } = question;
  const words = JSON.stringify([since, text, subject, options.map(({ label }) => label)]);
  return `${session}-${createHash('sha256').update(words).digest('base64url').slice(0, HASH_CHARACTERS)}`;
}

export function sessionOf(ask: string): string {
  return ask.split('-', 1)[0]!;
}

/** The answers that can be given from afar: by a key that the screen shows, or because the agent's own protocol takes them. */
export function actionsOf(question: Question | undefined, isDriven: boolean): readonly Action[] {
  return (question?.options ?? []).flatMap(({ key, label }, index) =>
    key === null && !isDriven ? [] : [{ id: String(index), label }],
  );
}

/** Whether a driver passes the answer to the agent. Questions with fields of their own need more than one choice. */
export function isDriven({ driver, status }: Pick<SessionInfo, 'driver' | 'status'>): boolean {
  return driver !== undefined && status.kind === 'permission';
}
