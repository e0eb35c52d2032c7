/** Sends a chosen answer to an agent, for the request that was shown. Keeps REQ-5 in `attach` and `watch`. */
import type { Decided, RequestRef } from '@spool/client';
import { type AgentRequestEvent, visibleTitle } from '@spool/render';
import { editableOf, type RequestAnswer } from './ask-choices.ts';

/** The calls that answer a request. */
export interface AnswerActions {
  approve(ask: RequestRef, options: { readonly option?: string; readonly input?: unknown }): Promise<Decided>;
  deny(ask: RequestRef, options: { readonly option?: string; readonly message?: string }): Promise<Decided>;
  answer(ask: RequestRef, answers: Readonly<Record<string, unknown>>): Promise<Decided>;
}

/** Sends an answer that needs no text. */
export function giveAnswer(
  actions: AnswerActions,
  ask: AgentRequestEvent,
  answer: Exclude<RequestAnswer, { readonly type: 'write' }>,
): Promise<Decided> {
  switch (answer.type) {
    case 'option': {
      const { option } = answer;
      return answer.behavior === 'allow' ? actions.approve(ask, { option }) : actions.deny(ask, { option });
    }
    case 'allow':
      return actions.approve(ask, {});
    case 'deny':
      return actions.deny(ask, {});
    case 'choice':
      return actions.answer(ask, answersOf(ask, answer.label));
  }
}

/**
 * Sends a text that was written: a message for a denial, an answer, or the changed input. Returns null if the request has no such
 * text.
 */
export function giveText(
  actions: AnswerActions,
  ask: AgentRequestEvent,
  what: 'message' | 'input' | 'answer',
  text: string,
): Promise<Decided> | null {
  if (what === 'message') return actions.deny(ask, text === '' ? {} : { message: text });
  if (what === 'answer') return actions.answer(ask, answersOf(ask, text));
  const editable = editableOf(ask);
  if (!editable || ask.kind !== 'permission.requested') return null;
  return actions.approve(ask, { input: { ...(ask.input as Record<string, unknown>), [editable.key]: text } });
}

/** Returns the reason why an answer did not count; null if it did. */
export function lostWords({ isOurs, outcome, reason }: Decided): string | null {
  if (isOurs) return null;
  if (outcome === null) return reason ?? 'the question is gone';
  const who = outcome.who === undefined ? '' : ` by ${visibleTitle(outcome.who, 60)}`;
  return `it was already decided${who}: ${outcome.decision}`;
}

/** Returns the answers: the text is the answer to each question. */
function answersOf(ask: AgentRequestEvent, text: string): Record<string, unknown> {
  if (ask.kind !== 'question.asked') return {};
  return Object.fromEntries(ask.questions.map(({ id, multi }) => [id, multi === true ? [text] : text]));
}
