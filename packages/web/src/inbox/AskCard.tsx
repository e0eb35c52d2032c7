/**
 * One question. An answer is a verified key press: the daemon presses the key only while the screen still shows this
 * question, and says so if it does not. There is no way to send a bare Enter from here. Keeps PAGE-5.
 */
import { type SessionInfo, SpoolError } from '@spool/client';
import { lazy, Suspense, useState } from 'react';
import { client } from '../link/daemon.ts';
import { ageText, useNow } from '../shell/ages.ts';
import { addressOf } from '../shell/route.ts';
import { StateMark } from '../state/StateMark.tsx';

type Answering =
  | { readonly type: 'none' }
  | { readonly type: 'sent'; readonly option: string }
  | { readonly type: 'refused'; readonly why: string };

/** Two thirds of the page's code are for what is open; the front page needs this only for an agent that asks. */
const AgentAskBody = lazy(async () => ({ default: (await import('../agent/AgentAskBody.tsx')).AgentAskBody }));

export function AskCard({ session }: { readonly session: SessionInfo }) {
  const now = useNow();
  const [answering, setAnswering] = useState<Answering>({ type: 'none' });
  const { question, agent, why } = session.status;

  const answer = async (option: string): Promise<void> => {
    if (question === undefined) return;
    setAnswering({ type: 'sent', option });
    try {
      const { isConfirmed } = await client.answer(session.id, { question, option });
      if (!isConfirmed) setAnswering({ type: 'refused', why: 'The key was pressed, but the question is still there.' });
    } catch (error) {
      setAnswering({ type: 'refused', why: refusal(error) });
    }
  };

  return (
    <article className="ask" aria-label={`${session.name} waits for you`}>
      <header>
        <StateMark condition="waits" />
        <a className="one-line name" dir="auto" href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}>
          {session.name}
        </a>
        {agent !== null && agent !== session.name && <span className="quiet">{agent}</span>}
        <span className="quiet age">{ageText(now - session.status.since)}</span>
      </header>
      {session.driver === undefined ? (
        <>
          {' '}
          <p className="question">{question?.text ?? why}</p>
          {question?.subject !== undefined && <pre className="subject">{question.subject}</pre>}
          <div className="answers" role="group" aria-label="Answers">
            {question?.options.map(({ key, label }) => (
              <button
                key={label}
                type="button"
                className="button"
                disabled={key === null || answering.type === 'sent'}
                title={key === null ? 'The screen does not tell which key chooses this; open the terminal' : undefined}
                onClick={() => void answer(label)}
              >
                {label}
              </button>
            ))}
            <a className="button" href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}>
              Open terminal
            </a>
          </div>
        </>
      ) : (
        <Suspense fallback={<p className="question">{question?.text ?? why}</p>}>
          <AgentAskBody session={session} />
        </Suspense>
      )}
      {answering.type !== 'none' && (
        <p className="answering" role="status">
          {answering.type === 'sent' ? `Answering “${answering.option}”…` : answering.why}
        </p>
      )}
    </article>
  );
}

function refusal(error: unknown): string {
  if (SpoolError.is(error, 'QUESTION_CHANGED')) return 'Somebody was faster, or the question has changed.';
  return error instanceof Error ? error.message : String(error);
}
