/** A field for a folder with completion: arrows choose, Tab or Enter accepts, and an accepted folder shows its subfolders. */
import { useEffect, useId, useState } from 'react';
import { askGateway } from '../link/ask-gateway.ts';

const TYPING_MS = 120;

interface FolderFieldProps {
  /** The machine whose folders are offered; null means that of the gateway. */
  readonly node: string | null;
  readonly value: string;
  /** Folders of sessions, shown before the user types. */
  readonly recent: readonly string[];
  readonly onValue: (path: string) => void;
}

export function FolderField({ node, value, recent, onValue }: FolderFieldProps) {
  const list = useId();
  const [found, setFound] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);

  useEffect(() => {
    if (!isOpen || value === '') return setFound([]);
    const asking = new AbortController();
    const timer = setTimeout(() => {
      askGateway<{ folders: readonly string[] }>(
        `${node === null ? '' : `nodes/${node}/`}folders?path=${encodeURIComponent(value)}`,
        {
          signal: asking.signal,
        },
      ).then(
        ({ folders }) => setFound(folders),
        () => {}, // the field works without suggestions too
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [node, value, isOpen]);

  const choices = value === '' ? recent : found;
  const isShown = isOpen && choices.length > 0;
  const take = (folder: string): void => {
    onValue(`${folder === '/' ? '' : folder}/`);
    setChosen(-1);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, -1));
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else if (event.key === 'Enter' && isShown && chosen >= 0) take(choices[chosen]!);
    else if (
      event.key === 'Tab' &&
      !event.shiftKey &&
      isShown &&
      value !== '' &&
      (chosen >= 0 || choices.length === 1)
    ) {
      const folder = choices[Math.max(0, chosen)]!;
      if (value === `${folder}/`) return;
      take(folder);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="field folder-field">
      <label htmlFor={`${list}-input`}>Folder</label>
      <input
        id={`${list}-input`}
        className="mono"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isShown && chosen >= 0 ? `${list}-${chosen}` : undefined}
        placeholder="your home folder"
        value={value}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
        onChange={(event) => {
          setOpen(true);
          setChosen(-1);
          onValue(event.target.value);
        }}
      />
      <ul id={list} role="listbox" aria-label="Folders" className="suggestions" hidden={!isShown}>
        {choices.map((folder, index) => (
          <li
            key={folder}
            id={`${list}-${index}`}
            role="option"
            className="mono one-line"
            aria-selected={index === chosen}
            // This happens before the field loses the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              take(folder);
            }}
          >
            {folder}
          </li>
        ))}
      </ul>
    </div>
  );
}
