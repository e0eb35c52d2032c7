/** The keys, for those who ask with `?`. */
import { useEffect, useRef } from 'react';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['⌘K or /', 'find a session or an act'],
  ['f', 'filter the wall'],
  ['← ↑ ↓ → or h j k l', 'move over the wall'],
  ['Enter', 'open the session'],
  ['p · e · r', 'pin, archive, rename the chosen session'],
  ['g', 'all sessions'],
  ['n', 'start a session'],
  ['1 … 5', 'in a session, outside its terminal: now, past, text, files, changes'],
  ['Ctrl Shift F', 'find in the output of the open session'],
  ['Ctrl Shift .', 'leave the terminal; its keys go to the page again'],
  ['?', 'this list'],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="palette help" aria-label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" className="button" autoFocus>
          Close
        </button>
      </form>
    </dialog>
  );
}
