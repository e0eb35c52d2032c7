/**
 * One field that finds every session and every action, also those on the open session; arrows choose, Enter runs it. Keeps
 * PAGE-72.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { displayName } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { StateMark } from '../state/StateMark.tsx';
import { pageActs } from './page-acts.ts';
import { type PaletteItem, paletteItems } from './palette-items.ts';
import { useRoute } from './route.ts';

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const byId = useSessions((now) => now.byId);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);

  const route = useRoute();
  const choices = useMemo<readonly PaletteItem[]>(() => {
    const open = route.page === 'session' ? byId.get(route.id) : undefined;
    return paletteItems(search, byId.values(), pageActs(), open === undefined ? null : displayName(open));
  }, [byId, search, route]);
  const at = Math.min(chosen, choices.length - 1);

  const take = (choice: PaletteItem | undefined): void => {
    if (choice === undefined) return;
    onClose();
    choice.run();
  };
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else if (event.key === 'Enter') take(choices[at]);
    else return;
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} className="palette" aria-label="Find" onClose={onClose}>
      <input
        autoFocus
        className="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={at < 0 ? undefined : `choice-${at}`}
        aria-label="Find a session or run a command"
        placeholder="Find a session or run a command"
        value={search}
        onKeyDown={onKey}
        onChange={(event) => {
          setSearch(event.target.value);
          setChosen(0);
        }}
      />
      <ul id="palette-choices" role="listbox" aria-label="Choices">
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => take(choice)}
            onPointerMove={() => setChosen(index)}
          >
            {choice.condition === undefined ? (
              <span className="palette-dot" aria-hidden="true" />
            ) : (
              <StateMark condition={choice.condition} />
            )}
            <span className="one-line title">{choice.label}</span>
            {choice.hint !== undefined && <span className="quiet one-line mono hint">{choice.hint}</span>}
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="quiet none">Nothing matches “{search}”.</p>}
    </dialog>
  );
}
