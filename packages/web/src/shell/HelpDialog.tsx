/** The list of keys, opened with `?`. */
import { useEffect, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

type Keys = readonly (readonly [keys: readonly string[], what: string])[];

const PARTS: readonly (readonly [title: string, keys: Keys])[] = [
  [
    'Everywhere',
    [
      [['⌘ K', '/'], 'find a session, or run a command'],
      [['w'], 'the next session that waits for you'],
      [['g'], 'all sessions'],
      [['n'], 'start a session'],
      [['a'], 'start an agent'],
      [[','], 'settings'],
      [['?'], 'this list'],
    ],
  ],
  [
    'On a question',
    [
      [['j', 'k'], 'the next, the one before'],
      [['y', 'n', '1 … 9'], 'answer: the key that is printed on it, or its number'],
      [['Enter'], 'open'],
    ],
  ],
  [
    'On the wall',
    [
      [['f'], 'filter'],
      [['← ↑ ↓ →', 'h j k l'], 'move'],
      [['Enter'], 'open'],
      [['p'], 'pin'],
      [['e'], 'archive'],
      [['r'], 'rename'],
    ],
  ],
  [
    'In a session',
    [
      [['1 … 8'], 'its panes, in the order of their names'],
      [['j', 'k'], 'to the cards; there, the next card and the one before'],
      [['Enter'], 'on a card: its moment in the terminal'],
      [['Ctrl C', 'Ctrl Shift C'], 'copy the selected text'],
      [['Ctrl V'], 'paste text, or a picture as a file (Ctrl Alt V sends the key itself)'],
      [['Ctrl Shift F'], 'find in everything it printed'],
      [['Ctrl Shift .'], 'leave the terminal: keys go to the page again'],
    ],
  ],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet help" aria-label="Keys" onClose={onClose}>
      <header className="dialog-head">
        <h1>Keys</h1>
        <button
          type="button"
          className="icon-button"
          autoFocus
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <CloseIcon />
        </button>
      </header>
      {PARTS.map(([title, keys]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <dl>
            {keys.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </dialog>
  );
}
