/** Keys that a phone's keyboard lacks. They do not take the focus, so the keyboard stays open. */
import { heldName, type Sticky, tapped, used } from './sticky.ts';

const KEYS: readonly (readonly [label: string, key: string, name?: string])[] = [
  ['Esc', 'Esc', 'Escape'],
  ['Tab', 'Tab'],
  ['←', 'Left', 'Left'],
  ['↑', 'Up', 'Up'],
  ['↓', 'Down', 'Down'],
  ['→', 'Right', 'Right'],
  ['^C', 'C-c', 'Control C'],
  ['^D', 'C-d', 'Control D'],
  ['PgUp', 'PageUp', 'Page up'],
  ['PgDn', 'PageDown', 'Page down'],
  ['⏎', 'Enter', 'Enter'],
];

export interface KeyBarProps {
  readonly sticky: Sticky;
  readonly onSticky: (sticky: Sticky) => void;
  readonly onKey: (name: string) => void;
}

export function KeyBar({ sticky, onSticky, onKey }: KeyBarProps) {
  const press = (key: string): void => {
    onKey(key.includes('-') ? key : heldName(sticky, key));
    onSticky(used(sticky));
  };
  return (
    <div className="key-bar" role="toolbar" aria-label="Keys">
      {(['ctrl', 'alt'] as const).map((which) => (
        <button
          key={which}
          type="button"
          className="sticky"
          data-sticky={sticky[which]}
          aria-pressed={sticky[which] !== 'off'}
          aria-label={`${which === 'ctrl' ? 'Control' : 'Alt'}${sticky[which] === 'locked' ? ', kept' : ''}`}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onSticky({ ...sticky, [which]: tapped(sticky[which]) })}
        >
          {which === 'ctrl' ? 'Ctrl' : 'Alt'}
        </button>
      ))}
      {KEYS.map(([label, key, name]) => (
        <button
          key={label}
          type="button"
          aria-label={name ?? label}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => press(key)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
