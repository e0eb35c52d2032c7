/**
 * Equal questions of several sessions as one card. All subjects are shown before any can be answered; the ticked ones get the same
 * answer, each verified like an answer to a single question. Keeps PAGE-70.
 */
import { isAskedByAgent } from '@spool/protocol';
import type { SessionInfo } from '@spool/client';
import { useState } from 'react';
import { displayName, folderOf } from '../sessions/session-words.ts';
import { Age } from '../shell/Age.tsx';
import { addressOf } from '../shell/route.ts';
import { StateMark } from '../state/StateMark.tsx';
import { answerKeys, pressAnswer } from './answer-keys.ts';
import { answerQuestion } from './answer-question.ts';
import { answerRequest, type GroupAnswer, requestAnswers } from './request-answers.ts';
import { type GroupInputs, useInputs } from './use-inputs.ts';

export function GroupCard({ sessions }: { readonly sessions: readonly SessionInfo[] }) {
  /** The questions that get the answer; null until the group is opened. Later questions are not among them. */
  const [ticked, setTicked] = useState<ReadonlySet<string> | null>(null);
  const [isSent, setSent] = useState(false);
  const [told, setTold] = useState<readonly string[]>([]);
  const isOpen = ticked !== null;
  const open = (): void => setTicked((now) => now ?? new Set(sessions.map(identityOf)));
  const inputs = useInputs(sessions, isOpen);
  const first = sessions[0]!;
  const chosen = sessions.filter((session) => ticked?.has(identityOf(session)) === true);
  const isReady = chosen.every(({ id }) => inputs.get(id)?.isWhole === true);
  const title = `${sessions.length} sessions ask`;
  const send = async (answer: GroupAnswer): Promise<void> => {
    if (isSent || !isReady) return;
    setSent(true);
    setTold([]);
    const refused = await Promise.all(
      chosen.map(async (session) => {
        const why = await answerOne(session, answer, inputs);
        return why === null ? [] : [`${displayName(session)}: ${why}`];
      }),
    );
    setTold(refused.flat());
    setSent(false);
  };
  return (
    <article
      className="ask ask-group"
      tabIndex={-1}
      aria-label={`${title}: ${questionOf(first)}`}
      onKeyDown={(event) => {
        pressAnswer(event);
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
        event.preventDefault();
        open();
      }}
    >
      <header>
        <StateMark condition="waits" />
        <span className="name">{title}</span>
        {first.status.agent !== null && <span className="quiet agent">{first.status.agent}</span>}
        <Age className="quiet age" since={first.status.since} />
      </header>
      <p className="question">{questionOf(first)}</p>
      {!isOpen && (
        <p className="one-line quiet" dir="auto">
          {sessions.map(displayName).join(', ')}
        </p>
      )}
      {!isOpen && (
        <div className="group-acts">
          <button type="button" className="button" aria-expanded="false" onClick={open}>
            Review all {sessions.length}
          </button>
        </div>
      )}
      {isOpen && (
        <ul className="group-members">
          {sessions.map((session) => (
            <li key={session.id}>
              <label>
                <input
                  type="checkbox"
                  checked={ticked.has(identityOf(session))}
                  onChange={({ target }) => setTicked(toggled(ticked, identityOf(session), target.checked))}
                />
                <span className="sr-only">Answer {displayName(session)}</span>
              </label>
              <a
                className="one-line name"
                dir="auto"
                href={addressOf({ page: 'session', id: session.id, view: 'terminal' })}
              >
                {displayName(session)}
              </a>
              <span className="one-line quiet folder">{folderOf(session.cwd)}</span>
              <Age className="quiet age" since={session.status.since} />
              <GroupInput text={inputs.get(session.id)?.text ?? null} name={displayName(session)} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && <GroupAnswers session={first} count={chosen.length} isDisabled={isSent || !isReady} onAnswer={send} />}
      {(isSent || told.length > 0) && (
        <div className="answering" role="status">
          {isSent ? <p>Answering…</p> : told.map((line) => <p key={line}>{line}</p>)}
        </div>
      )}
    </article>
  );
}

function GroupInput({ text, name }: { readonly text: string | null; readonly name: string }) {
  if (text === '') return null;
  return (
    <pre className="subject" tabIndex={0} aria-label={`What ${name} asks about`}>
      {text ?? 'Reading…'}
    </pre>
  );
}

interface AnswersProps {
  readonly session: SessionInfo;
  readonly count: number;
  readonly isDisabled: boolean;
  readonly onAnswer: (answer: GroupAnswer) => Promise<void>;
}

/** The answers that the first session offers; the others offer the same. */
function GroupAnswers({ session, count, isDisabled, onAnswer }: AnswersProps) {
  const answers = answersOf(session);
  return (
    <div className="answers" role="group" aria-label={`Answers for ${count} sessions`}>
      {answers.map((answer) => (
        <button
          key={answer.label}
          type="button"
          className={answer.isDenial ? 'button answer danger' : 'button answer'}
          disabled={count === 0}
          aria-disabled={isDisabled || undefined}
          data-key={answer.key ?? undefined}
          aria-keyshortcuts={answer.key ?? undefined}
          onClick={() => void onAnswer(answer)}
        >
          {answer.key !== null && <kbd aria-hidden="true">{answer.key === 'Escape' ? 'esc' : answer.key}</kbd>}
          <span dir="auto">
            {answer.label} <span className="count">· {count}</span>
          </span>
        </button>
      ))}
    </div>
  );
}

function answersOf(session: SessionInfo): readonly GroupAnswer[] {
  if (isAskedByAgent(session)) return requestAnswers(session.status.requests?.[0]?.options ?? []);
  const options = session.status.question?.options ?? [];
  const keys = answerKeys(options);
  return options.map(({ label }, index) => ({ label, key: keys[index] ?? null, isDenial: false }));
}

async function answerOne(session: SessionInfo, answer: GroupAnswer, inputs: GroupInputs): Promise<string | null> {
  if (!isAskedByAgent(session)) return await answerQuestion(session, answer.label);
  return await answerRequest(session, answer, inputs.get(session.id)?.digest);
}

/** Returns the question without its subject, which differs between sessions. */
function questionOf({ driver, status }: SessionInfo): string {
  const tool = status.requests?.[0]?.tool;
  return driver !== undefined && tool ? `Allow ${tool}?` : (status.question?.text ?? status.why);
}

/** Returns the identity of a question: a session that asks again has another question. */
const identityOf = ({ id, status }: SessionInfo): string =>
  `${id} ${status.since} ${status.requests?.[0]?.digest ?? status.question?.subject ?? ''}`;

function toggled(ticked: ReadonlySet<string>, identity: string, isTicked: boolean): ReadonlySet<string> {
  const next = new Set(ticked);
  if (isTicked) next.add(identity);
  else next.delete(identity);
  return next;
}
