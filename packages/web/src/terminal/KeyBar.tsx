/** Keys that a phone's keyboard lacks. They do not take the focus, so the keyboard stays open. */

const KEYS: readonly (readonly [label: string, text: string, name?: string])[] = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['^C', '\x03', 'Control C'],
  ['^D', '\x04', 'Control D'],
  ['←', '\x1b[D', 'Left'],
  ['↑', '\x1b[A', 'Up'],
  ['↓', '\x1b[B', 'Down'],
  ['→', '\x1b[C', 'Right'],
  ['⏎', '\r', 'Enter'],
];

export function KeyBar({ onType }: { readonly onType: (text: string) => void }) {
  return (
    <div className="key-bar" role="toolbar" aria-label="Keys">
      {KEYS.map(([label, text, name]) => (
        <button
          key={label}
          type="button"
          aria-label={name ?? label}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onType(text)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
