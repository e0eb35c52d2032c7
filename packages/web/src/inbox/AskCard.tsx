/**
 * One question. An answer is a verified key press: the daemon presses the key only while the screen still shows this question, and
 * reports if it does not. A bare Enter cannot be sent from here. While the card has the focus, the key printed on an answer chooses
 * it. Keeps PAGE-5 and PAGE-71.
 */
import { isAskedByAgent } from '@spool/protocol';
import type { SessionInfo } from '@spool/client';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { displayName } from '../sessions/session-words.ts';
import { Age } from '../shell/Age.tsx';
import { OpenIcon } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import { StateMark } from '../state/StateMark.tsx';
import { answerKeys, pressAnswer } from './answer-keys.ts';
import { answerQuestion } from './answer-question.ts';
import { takeFocusWish } from './next-waiting.ts';

type AnswerState =
  | { readonly type: 'none' }
  | { readonly type: 'sent'; readonly option: string }
  | { readonly type: 'refused'; readonly why: string };

/**
 * Loaded on demand: the front page needs this only for an agent with a request, and two thirds of the page's code are for open
 * sessions.
 */
const AgentAskBody = lazy(async () => ({ default: (await import('../agent/AgentAskBody.tsx')).AgentAskBody }));

/** The length from which on answers are shown as a list, one below the other. */
const SHORT_CHARACTERS = 18;

interface AskCardProps {
  readonly session: SessionInfo;
  /** Whether the card is above the session's own terminal, which already shows its name. */
  readonly isHere?: boolean;
}

export function AskCard({ session, isHere = false }: AskCardProps) {
  const { agent } = session.status;
  const name = displayName(session);
  const address = addressOf({ page: 'session', id: session.id, view: 'terminal' });
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isHere && takeFocusWish(session.id)) card.current?.focus();
  }, [isHere, session.id]);
  return (
    <article
      ref={card}
      className="ask"
      tabIndex={-1}
      data-here={isHere || undefined}
      aria-label={`${name} waits for you`}
      onKeyDown={(event) => {
        pressAnswer(event);
        if (event.key !== 'Enter' || event.target !== event.currentTarget || isHere) return;
        event.preventDefault();
        location.hash = address;
      }}
    >
      {!isHere && (
        <header>
          <StateMark condition="waits" />
          <a className="one-line name" dir="auto" href={address}>
            {name}
          </a>
          {agent !== null && agent !== name && <span className="quiet agent">{agent}</span>}
          <Age className="quiet age" since={session.status.since} />
          <a className="icon-button" href={address} aria-label={`Open ${name}`} title="Open">
            <OpenIcon />
          </a>
        </header>
      )}
      {!isAskedByAgent(session) ? (
        <ScreenAsk session={session} />
      ) : (
        <Suspense fallback={<p className="question">{session.status.question?.text ?? session.status.why}</p>}>
          <AgentAskBody session={session} />
        </Suspense>
      )}
    </article>
  );
}

/** The question of a program on its screen. */
function ScreenAsk({ session }: { readonly session: SessionInfo }) {
  const [answering, setAnswering] = useState<AnswerState>({ type: 'none' });
  const { question, why } = session.status;
  const options = question?.options ?? [];
  const keys = answerKeys(options);
  const isSent = answering.type === 'sent';
  const answer = async (option: string): Promise<void> => {
    if (isSent) return;
    setAnswering({ type: 'sent', option });
    const refused = await answerQuestion(session, option);
    // The next question may be shown in the same card; it has a separate answer.
    setAnswering(refused === null ? { type: 'none' } : { type: 'refused', why: refused });
  };
  return (
    <>
      <p className="question">{question?.text ?? why}</p>
      {question?.subject !== undefined && (
        <pre className="subject" tabIndex={0} aria-label="What it is about">
          {question.subject}
        </pre>
      )}
      {options.length > 0 && (
        <div
          className="answers"
          role="group"
          aria-label="Answers"
          data-list={options.some(({ label }) => label.length > SHORT_CHARACTERS) || undefined}
        >
          {options.map(({ key, label }, index) => (
            <button
              key={label}
              type="button"
              className="button answer"
              disabled={key === null}
              // A disabled button loses the focus, and the card would then get no keys.
              aria-disabled={isSent || undefined}
              data-key={keys[index] ?? undefined}
              aria-keyshortcuts={keys[index] ?? undefined}
              title={key === null ? 'The screen does not show which key chooses this; open the terminal' : undefined}
              onClick={() => void answer(label)}
            >
              {key !== null && <kbd aria-hidden="true">{keyText(key)}</kbd>}
              <span dir="auto">{label}</span>
            </button>
          ))}
        </div>
      )}
      {options.length === 0 && (
        <p className="quiet">Its answers are not known here: open it and answer in the terminal.</p>
      )}
      {answering.type !== 'none' && (
        <p className="answering" role="status">
          {answering.type === 'sent' ? `Answering “${answering.option}”…` : answering.why}
        </p>
      )}
    </>
  );
}

/** Returns the text of a key, as printed on a keyboard. */
function keyText(key: string): string {
  return key
    .replace(/ ?\bEnter$/, ' ⏎')
    .replace('Escape', 'esc')
    .trim();
}
