/**
 * The first request of an agent without a terminal, for the panel of `spool watch`: all its lines, and the keys that answer it.
 * Keeps WATCH-42: an answer is possible only while the whole request is on the screen.
 */
import type { AgentHandle, Client, Decided } from '@spool/client/node';
import { type AgentRequestEvent, type Line, say, span, visible } from '@spool/render';
import { type AskChoice, editableOf, makeChoices } from '../agents/view/ask-choices.ts';
import { askDocument, panelPart } from '../agents/view/ask-panel.ts';
import { giveAnswer, giveText, lostWords } from '../agents/view/give-answer.ts';
import { failureOf } from '../command-line/failure.ts';
import type { ActionResult } from './actions.ts';
import type { Row } from './list.ts';

export type RequestKey =
  | { readonly type: 'sent'; readonly outcome: Promise<ActionResult> }
  /** The answer needs a text. */
  | {
      readonly type: 'write';
      readonly label: string;
      readonly text: string;
      readonly send: (text: string) => Promise<ActionResult>;
    };

const WRITE_LABELS = { message: 'deny, because:', answer: 'answer:', input: 'allow this instead:' } as const;

/** Returns the request that has waited longest; null if there is none. */
export async function openRequest(client: Client, row: Row): Promise<AgentRequest | null> {
  const agent = await client.openAgent(row.id);
  const [ask] = await agent.requests();
  return ask ? new AgentRequest(agent, row, ask) : null;
}

export class AgentRequest {
  readonly #agent: AgentHandle;
  readonly #ask: AgentRequestEvent;
  readonly #choices: readonly AskChoice[];
  readonly row: Row;

  constructor(agent: AgentHandle, row: Row, ask: AgentRequestEvent) {
    this.#agent = agent;
    this.#ask = ask;
    this.#choices = makeChoices(ask);
    this.row = row;
  }

  get request(): string {
    return this.#ask.request;
  }

  /** Returns all lines, for a terminal of this many columns. */
  lines(cols: number): readonly Line[] {
    const width = Math.max(1, cols - 1);
    const { lines } = askDocument(this.#ask, width);
    const keys = { isFocused: true, isWriting: false, mayAnswer: true, unconfirmed: null };
    const part = panelPart(this.#ask, lines, { ...keys, width, rows: Infinity });
    const title = [span(say`${visible(this.row.name)} asks:`, { bold: true })];
    return [title, ...part.lines];
  }

  /** Returns the effect of a key; null if it has none. */
  press(letter: string): RequestKey | null {
    const answer = this.#choices.find(({ key }) => key === letter.toLowerCase())?.answer;
    if (!answer) return null;
    if (answer.type !== 'write')
      return { type: 'sent', outcome: this.#outcome(giveAnswer(this.#agent, this.#ask, answer)) };
    const { what } = answer;
    return {
      type: 'write',
      label: WRITE_LABELS[what],
      text: what === 'input' ? (editableOf(this.#ask)?.text ?? '') : '',
      send: (text) => this.#outcome(giveText(this.#agent, this.#ask, what, text)),
    };
  }

  async #outcome(decided: Promise<Decided> | null): Promise<ActionResult> {
    const { name } = this.row;
    try {
      const outcome = await decided;
      const lost = outcome === null ? 'it cannot be changed' : lostWords(outcome);
      if (lost !== null) return { text: `${name}: ${lost}`, isTrouble: true };
      return { text: `${name}: ${WORDS[outcome!.outcome?.decision ?? 'answered']}`, isTrouble: false };
    } catch (error) {
      return { text: `${name}: ${failureOf(error).message}`, isTrouble: true };
    }
  }
}

const WORDS = {
  allow: 'allowed',
  deny: 'denied',
  answered: 'answered',
  declined: 'declined',
  cancelled: 'withdrawn',
  error: 'failed',
} as const;
