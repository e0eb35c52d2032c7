/** Asks before an action that cannot be undone, and explains it. The safe answer has the focus. Keeps PAGE-34. */
import { useEffect, useRef } from 'react';

interface ConfirmProps {
  readonly title: string;
  readonly consequence: string;
  /** The text of the button that confirms the action. */
  readonly act: string;
  readonly isDanger: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, consequence, act, isDanger, onAct, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet confirm" role="alertdialog" aria-label={title} onClose={onClose}>
      <h1 dir="auto">{title}</h1>
      <p>{consequence}</p>
      <div className="form-acts">
        <button type="button" className="button" autoFocus onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          className={isDanger ? 'button danger' : 'button'}
          onClick={() => {
            dialog.current?.close();
            onAct();
          }}
        >
          {act}
        </button>
      </div>
    </dialog>
  );
}
