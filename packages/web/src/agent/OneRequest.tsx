/**
 * One request of an agent: its whole text in a box that scrolls, and the buttons. Its answer contains the digest of the shown
 * request.
 */
import type { AgentHandle, Decided } from '@spool/client';
import { type Line, requestLines } from '@spool/render';
import { useEffect, useMemo, useRef, useState } from 'react';
import { EditInput } from './EditInput.tsx';
import { type EditedTexts, editableTexts, editedRequest, isEdited } from './edited-request.ts';
import { QuestionForm } from './QuestionForm.tsx';
import { RequestButtons } from './RequestButtons.tsx';
import { makeButtons, DENY, type RequestChoice } from './request-choices.ts';
import { StyledLines } from './StyledLines.tsx';
import { useCells } from './use-cells.ts';
import { type EndSeen, useEndSeen } from './use-end-seen.ts';
import type { ShownRequest } from './use-request.ts';

/** The time for which a new request accepts no press: the press may have been meant for the request before it. */
const GUARD_MS = 500;
interface OneRequestProps {
  readonly agent: AgentHandle;
  readonly shown: ShownRequest;
  /** The title that is shown until the request is read. */
  readonly title: string;
  readonly others: number;
  /** Whether it is the only request of the page, whose buttons have keys. */
  readonly hasKeys: boolean;
  readonly onDecided: (decided: Promise<Decided>) => void;
}

export function OneRequest({ agent, shown, title, others, hasKeys, onDecided }: OneRequestProps) {
  const { open, event, trouble } = shown;
  const { isDisabled, send } = useSending(onDecided, event !== null || trouble !== null);
  const ref = { request: open.request, digest: open.digest };
  const [texts, setTexts] = useState<EditedTexts | null>(null);
  const own = event === null ? null : editableTexts(event);
  const isChanged = texts !== null && own !== null && isEdited(own, texts);
  const asked = isChanged && event?.kind === 'permission.requested' ? editedRequest(event, texts) : event;
  const choose = ({ behavior, option }: RequestChoice): void => {
    const input = isChanged && asked?.kind === 'permission.requested' ? asked.input : undefined;
    send(behavior === 'allow' ? agent.approve(ref, { option, input }) : agent.deny(ref, { option }));
  };
  const box = useRef<HTMLDivElement>(null);
  // The width of the box itself, because a row that the browser wraps would lose its mark.
  const width = useCells(box);
  const lines = useMemo(() => (asked === null ? [] : requestLines(asked, width)), [event, texts, width]);
  const end = useEndSeen(box, lines.length);
  return (
    <div className="agent-ask">
      {event === null && <p className="question">{title}</p>}
      <RequestBox {...{ box, lines, end, width }} />
      {event === null && (
        <p className="quiet">{trouble === null ? 'Reading the request…' : `${trouble} ${ONLY_DENIED}`}</p>
      )}
      {event?.isCut === true && <p role="note">{ONLY_DENIED}</p>}
      {event?.kind === 'question.asked' && event.isCut === true ? (
        <button type="button" className="button" disabled={isDisabled} onClick={() => send(agent.answer(ref))}>
          Decline
        </button>
      ) : event?.kind === 'question.asked' ? (
        <QuestionForm
          questions={event.questions}
          isDisabled={isDisabled}
          onAnswers={(answers) => send(agent.answer(ref, answers))}
        />
      ) : (
        <>
          {texts !== null && <EditInput {...{ texts, isDisabled }} onTexts={setTexts} />}
          <RequestButtons
            choices={
              event === null ? [DENY] : makeButtons(event).filter(({ isLasting }) => !isChanged || isLasting !== true)
            }
            isEdited={isChanged}
            onEdit={own === null || texts !== null ? null : () => setTexts(own)}
            unseenLines={end.isSeen ? 0 : Math.max(1, end.below)}
            {...{ isDisabled, others, hasKeys }}
            onChosen={choose}
            onReason={(message) => send(agent.deny(ref, { message }))}
          />
        </>
      )}
    </div>
  );
}

const ONLY_DENIED = 'It cannot be shown whole, so it can only be denied here.';

interface RequestBoxProps {
  readonly box: React.RefObject<HTMLDivElement | null>;
  readonly lines: readonly Line[];
  readonly end: EndSeen;
  readonly width: number;
}

function RequestBox({ box, lines, end: { below }, width }: RequestBoxProps) {
  return (
    <div className="request">
      <div
        ref={box}
        className="subject agent-lines"
        role="group"
        tabIndex={0}
        aria-label="The whole request"
        data-empty={lines.length === 0 || undefined}
      >
        <StyledLines lines={lines} width={width} />
      </div>
      <p className="request-rest" aria-live="polite" hidden={below === 0}>
        {below === 1 ? '1 more line below' : `${below} more lines below`}
        <button
          type="button"
          className="button plain"
          onClick={() => box.current?.scrollBy({ top: box.current.clientHeight - SCROLL_OVERLAP_PX })}
        >
          Scroll on
        </button>
      </p>
    </div>
  );
}

/** The overlap of two pages, so that a reader who scrolls keeps one line in view. */
const SCROLL_OVERLAP_PX = 24;

/** Disables the buttons at first, and while an answer is on its way. The time starts when the request is readable. */
function useSending(
  onDecided: (decided: Promise<Decided>) => void,
  isReadable: boolean,
): { readonly isDisabled: boolean; readonly send: (decided: Promise<Decided>) => void } {
  const [state, setState] = useState<'new' | 'open' | 'sent'>('new');
  useEffect(() => {
    if (!isReadable) return undefined;
    const timer = setTimeout(() => setState('open'), GUARD_MS);
    return () => clearTimeout(timer);
  }, [isReadable]);
  const send = (decided: Promise<Decided>): void => {
    setState('sent');
    // The answer was not accepted: the request may still be pending.
    decided.then(
      ({ isOurs }) => !isOurs && setState('open'),
      () => setState('open'),
    );
    onDecided(decided);
  };
  return { isDisabled: state !== 'open', send };
}
