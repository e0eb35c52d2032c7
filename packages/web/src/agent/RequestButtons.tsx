/**
 * The buttons that answer a permission. While the end of the request was not in view, a button that allows needs a second press,
 * and shows how much was not seen. Keeps PAGE-54 and PAGE-55.
 */
import { visibleTitle } from '@spool/protocol';
import { useState } from 'react';
import type { RequestChoice } from './request-choices.ts';

const LABEL_CHARACTERS_MAX = 120;
/** The minimum time between two presses: a faster second press was meant for the button as it was before. */
const SECOND_PRESS_MS_MIN = 500;

interface RequestButtonsProps {
  readonly choices: readonly RequestChoice[];
  /** The number of lines that have not been in view. */
  readonly unseenLines: number;
  readonly isDisabled: boolean;
  /** The number of requests that wait after this one. */
  readonly others: number;
  readonly onChosen: (choice: RequestChoice) => void;
}

export function RequestButtons({ choices, unseenLines, isDisabled, others, onChosen }: RequestButtonsProps) {
  const [pressed, setPressed] = useState<{ readonly choice: string; readonly at: number } | null>(null);
  // This is the time of the press itself: a busy page may handle both late.
  const press = (choice: RequestChoice, at: number): void => {
    if (choice.behavior === 'deny' || unseenLines === 0) return onChosen(choice);
    if (pressed?.choice !== keyOf(choice)) return setPressed({ choice: keyOf(choice), at });
    if (at - pressed.at >= SECOND_PRESS_MS_MIN) onChosen(choice);
  };
  return (
    <div className="answers" role="group" aria-label="Answers">
      {choices.map((choice) => (
        <button
          key={keyOf(choice)}
          type="button"
          className={choice.behavior === 'deny' ? 'button danger' : 'button'}
          disabled={isDisabled}
          onClick={({ timeStamp }) => press(choice, timeStamp)}
        >
          {visibleTitle(choice.label, LABEL_CHARACTERS_MAX)}
          {unseenLines > 0 && pressed?.choice === keyOf(choice) && ` without having seen ${linesText(unseenLines)}`}
        </button>
      ))}
      {others > 0 && <span className="quiet">{others === 1 ? '1 more waits' : `${others} more wait`}</span>}
    </div>
  );
}

const keyOf = ({ option, behavior }: RequestChoice): string => option ?? behavior;

const linesText = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);
