/** Fields for the texts of a request's input. Their content is shown above them in the form that would be allowed. */
import { visibleTitle } from '@spool/protocol';
import type { EditedTexts } from './edited-request.ts';

const NAME_CHARACTERS_MAX = 80;
const ROWS_MAX = 12;

interface EditProps {
  readonly texts: EditedTexts;
  readonly isDisabled: boolean;
  readonly onTexts: (texts: EditedTexts | null) => void;
}

export function EditInput({ texts, isDisabled, onTexts }: EditProps) {
  return (
    <div
      className="edit-input"
      role="group"
      aria-label="Edited input"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onTexts(null);
      }}
    >
      {Object.entries(texts).map(([name, text], at) => (
        <label key={name}>
          <span className="mono">{visibleTitle(name, NAME_CHARACTERS_MAX)}</span>
          <textarea
            autoFocus={at === 0}
            className="mono"
            rows={Math.min(ROWS_MAX, text.split('\n').length)}
            value={text}
            disabled={isDisabled}
            spellCheck={false}
            onChange={({ target }) => onTexts({ ...texts, [name]: target.value })}
          />
        </label>
      ))}
      <button type="button" className="button plain" onClick={() => onTexts(null)}>
        Undo the edit
      </button>
    </div>
  );
}
