/** One field that finds every session and every action; arrows choose, Enter runs it. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { inOrder, matches } from '../sessions/order.ts';
import { commandOf, displayName } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { go } from './route.ts';
import { toggleTheme } from './theme.ts';

const SHOWN_MAX = 12;

interface PaletteItem {
  readonly key: string;
  readonly label: string;
  readonly mark?: React.ReactNode;
  readonly hint?: string;
  readonly run: () => void;
}

const ACTS: readonly PaletteItem[] = [
  { key: 'start', label: 'Start a session', hint: 'n', run: () => go({ page: 'start', what: 'command' }) },
  { key: 'agent', label: 'Start an agent', hint: 'a', run: () => go({ page: 'start', what: 'agent' }) },
  { key: 'home', label: 'All sessions', hint: 'g', run: () => go({ page: 'home' }) },
  { key: 'settings', label: 'Settings', hint: ',', run: () => go({ page: 'settings' }) },
  { key: 'theme', label: 'Switch between light and dark', run: toggleTheme },
];

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const byId = useSessions((now) => now.byId);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);

  const choices = useMemo<readonly PaletteItem[]>(() => {
    const sessions = inOrder(byId.values())
      .filter((session) => matches(session, search))
      .map((session) => ({
        key: session.id,
        label: displayName(session),
        mark: <StateMark condition={conditionOf(session)} />,
        hint: commandOf(session),
        run: () => go({ page: 'session', id: session.id, view: 'terminal' }),
      }));
    const acts = ACTS.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
    return [...sessions.slice(0, SHOWN_MAX), ...acts];
  }, [byId, search]);
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
            {choice.mark ?? <span className="palette-dot" aria-hidden="true" />}
            <span className="one-line title">{choice.label}</span>
            {choice.hint !== undefined && <span className="quiet one-line mono hint">{choice.hint}</span>}
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="quiet none">Nothing matches “{search}”.</p>}
    </dialog>
  );
}
