/**
 * The buttons that answer a permission, with their keys. While the end of the request was not in view, a button that allows needs a
 * second press, and shows how much was not seen. Keeps PAGE-54, PAGE-55 and CARD-7.
 */
import { visibleTitle } from '@spool/protocol';
import { useEffect, useRef, useState } from 'react';
import { DenyReason } from './DenyReason.tsx';
import { isNamedAllow, keysOf, type RequestChoice } from './request-choices.ts';

const LABEL_CHARACTERS_MAX = 120;
/** The minimum time between two presses: a faster second press was meant for the button's earlier label. */
const SECOND_PRESS_MS_MIN = 500;

interface RequestButtonsProps {
  readonly choices: readonly RequestChoice[];
  /** The number of lines that have not been in view. */
  readonly unseenLines: number;
  readonly isDisabled: boolean;
  /** The number of requests that wait after this one. */
  readonly others: number;
  readonly hasKeys: boolean;
  /** Whether the user has replaced the input. */
  readonly isEdited: boolean;
  /** Opens the fields for another input; null if there are none, or they are already open. */
  readonly onEdit: (() => void) | null;
  readonly onChosen: (choice: RequestChoice) => void;
  /** Denies it with a reason for the agent. */
  readonly onReason: (message: string) => void;
}

export function RequestButtons(props: RequestButtonsProps) {
  const { choices, unseenLines, isDisabled, others, hasKeys, isEdited, onEdit, onChosen, onReason } = props;
  const [pressed, setPressed] = useState<{ readonly choice: string; readonly at: number } | null>(null);
  // This is the time of the press itself, because a busy page may handle both late.
  const press = (choice: RequestChoice, at: number): void => {
    if (choice.behavior === 'deny' || unseenLines === 0) return onChosen(choice);
    if (pressed?.choice !== idOf(choice)) return setPressed({ choice: idOf(choice), at });
    if (at - pressed.at >= SECOND_PRESS_MS_MIN) onChosen(choice);
  };
  const keys = keysOf(choices);
  useKeys(hasKeys && !isDisabled, keys, press);
  return (
    <div className="answers" role="group" aria-label="Answers">
      {choices.map((choice) => {
        const unseen =
          unseenLines > 0 && pressed?.choice === idOf(choice) ? ` without having seen ${linesText(unseenLines)}` : '';
        const [key] = [...keys].find(([, each]) => each === choice) ?? [];
        return (
          <button
            key={idOf(choice)}
            type="button"
            className={choice.behavior === 'deny' ? 'button danger' : 'button'}
            disabled={isDisabled}
            aria-keyshortcuts={key}
            data-key={key}
            onClick={({ timeStamp }) => press(choice, timeStamp)}
          >
            {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
            {isNamedAllow(choice) || <span className="sr-only">Allow: </span>}
            {visibleTitle(choice.label, LABEL_CHARACTERS_MAX)}
            {isEdited && choice.behavior === 'allow' ? ' with the edited input' : ''}
            {unseen}
          </button>
        );
      })}
      {onEdit !== null && (
        <button type="button" className="button plain" disabled={isDisabled} onClick={onEdit}>
          Edit the input…
        </button>
      )}
      <DenyReason isDisabled={isDisabled} onReason={onReason} />
      {others > 0 && <span className="quiet">{others} more waiting</span>}
    </div>
  );
}

/**
 * Presses a choice by its key. Ignores keys of a field, a dialog or a terminal, keys with a modifier, and keys that are held down.
 */
function useKeys(
  isOn: boolean,
  keys: ReadonlyMap<string, RequestChoice>,
  press: (choice: RequestChoice, at: number) => void,
): void {
  const latest = useRef({ keys, press });
  latest.current = { keys, press };
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
      if (event.target instanceof HTMLElement && event.target.closest(OTHERS) !== null) return;
      const choice = latest.current.keys.get(event.key);
      if (choice === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current.press(choice, event.timeStamp);
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOn]);
}

const OTHERS = 'input, textarea, select, dialog, .xterm';

const idOf = ({ option, behavior }: RequestChoice): string => option ?? behavior;

const linesText = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);
