/**
 * The permissions and questions of an agent that wait, the oldest first, with buttons that answer. The first answer wins, and who
 * comes second is told who was first.
 */
import { type AgentHandle, type Decided } from '@spool/client';
import { type Asked, askLines, permissionLines, permissionTitle, visibleTitle } from '@spool/render';
import { useEffect, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { choicesOf } from './asked.ts';
import { QuestionForm } from './QuestionForm.tsx';
import { StyledLines } from './StyledLines.tsx';

/** An ask that has just come takes no press: it may have moved under a finger that meant the one before it. */
const GUARD_MS = 500;
const LABEL_CHARACTERS_MAX = 120;
/** What the frame around a subject takes of its width. */
const SUBJECT_FRAME_CELLS = 4;

interface AsksProps {
  readonly agent: AgentHandle;
  readonly pending: readonly Asked[];
  /** In cells. */
  readonly width: number;
}

export function AgentAsks({ agent, pending, width }: AsksProps) {
  const [told, setTold] = useState<string | null>(null);
  const [ask] = pending;
  const decide = (decided: Promise<Decided>): void => {
    setTold(null);
    decided.then(
      (how) => setTold(how.isOurs ? null : lateWords(how)),
      (error: unknown) => setTold(sentenceOf(error)),
    );
  };
  return (
    <>
      {ask !== undefined && (
        <OneAsk key={ask.request} {...{ agent, ask, width }} others={pending.length - 1} onDecided={decide} />
      )}
      {told !== null && (
        <p className="answering" role="status">
          {told}
        </p>
      )}
    </>
  );
}

interface OneAskProps extends Omit<AsksProps, 'pending'> {
  readonly ask: Asked;
  readonly others: number;
  readonly onDecided: (decided: Promise<Decided>) => void;
}

function OneAsk({ agent, ask, others, width, onDecided }: OneAskProps) {
  const [state, setState] = useState<'new' | 'open' | 'sent'>('new');
  useEffect(() => {
    const timer = setTimeout(() => setState('open'), GUARD_MS);
    return () => clearTimeout(timer);
  }, []);
  const send = (decided: Promise<Decided>): void => {
    setState('sent');
    decided.catch(() => setState('open'));
    onDecided(decided);
  };
  const isDisabled = state !== 'open';
  return (
    <div className="agent-ask">
      <AskText ask={ask} width={width} />
      {ask.kind === 'question.asked' ? (
        <QuestionForm
          questions={ask.questions}
          isDisabled={isDisabled}
          onAnswers={(answers) => send(agent.answer(ask.request, answers))}
        />
      ) : (
        <div className="answers" role="group" aria-label="Answers">
          {choicesOf(ask).map(({ label, behavior, option }) => (
            <button
              key={option ?? label}
              type="button"
              className={behavior === 'deny' ? 'button danger' : 'button'}
              disabled={isDisabled}
              onClick={() =>
                send(
                  behavior === 'allow' ? agent.approve(ask.request, { option }) : agent.deny(ask.request, { option }),
                )
              }
            >
              {visibleTitle(label, LABEL_CHARACTERS_MAX)}
            </button>
          ))}
          {others > 0 && <span className="quiet">{others === 1 ? '1 more waits' : `${others} more wait`}</span>}
        </div>
      )}
    </div>
  );
}

/** A permission looks as the question of a program on its screen does. */
function AskText({ ask, width }: { readonly ask: Asked; readonly width: number }) {
  if (ask.kind === 'question.asked')
    return (
      <div className="agent-lines">
        <StyledLines lines={askLines(ask, width, false)} width={width} />
      </div>
    );
  const lines = permissionLines(ask, width - SUBJECT_FRAME_CELLS, false);
  return (
    <>
      <p className="question">{permissionTitle(ask)}</p>
      {lines.length > 0 && (
        <div className="subject agent-lines" role="group" tabIndex={0} aria-label="What it is about">
          <StyledLines lines={lines} width={width} />
        </div>
      )}
    </>
  );
}

function lateWords({ outcome, reason }: Decided): string {
  if (outcome === null) return reason ?? 'It is gone.';
  const who = outcome.who === undefined ? '' : ` by ${visibleTitle(outcome.who, LABEL_CHARACTERS_MAX)}`;
  return `It was decided before${who}: ${outcome.decision}.`;
}
