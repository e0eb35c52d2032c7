/**
 * One question. An answer is a verified key press: the daemon presses the key only while the screen still shows this question,
 * and reports if it does not. A bare Enter cannot be sent from here. Keeps PAGE-5.
 */
import { type SessionInfo, SpoolError } from '@spool/client';
import { lazy, Suspense, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { displayName } from '../sessions/session-words.ts';
import { Age } from '../shell/Age.tsx';
import { OpenIcon } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import { StateMark } from '../state/StateMark.tsx';
import { noteOurs } from './answered-requests.ts';

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
  return (
    <article className="ask" data-here={isHere || undefined} aria-label={`${name} waits for you`}>
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
      {session.driver === undefined ? (
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
  const answer = async (option: string): Promise<void> => {
    if (question === undefined) return;
    setAnswering({ type: 'sent', option });
    noteOurs(session);
    try {
      const { isConfirmed } = await client.answer(session.id, { question, option });
      // The next question may be in the same card: it has its own answer.
      const why = 'The key was pressed, but the question is still there.';
      setAnswering(isConfirmed ? { type: 'none' } : { type: 'refused', why });
    } catch (error) {
      setAnswering({ type: 'refused', why: refusal(error) });
    }
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
          {options.map(({ key, label }) => (
            <button
              key={label}
              type="button"
              className="button answer"
              disabled={key === null || answering.type === 'sent'}
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

function refusal(error: unknown): string {
  if (SpoolError.is(error, 'QUESTION_CHANGED')) return 'Someone was faster, or the question has changed.';
  return sentenceOf(error);
}
