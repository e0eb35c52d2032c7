/** The bar above the wall: a filter, the grouping, and the archive. */
import { arrange, useMarks } from '../sessions/marks.ts';
import { type Arrangement, labelKeys } from '../sessions/groups.ts';
import { useSessions } from '../sessions/store.ts';

export interface WallBarProps {
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly onOpenFirst: () => void;
  readonly archivedCount: number;
  readonly isArchiveShown: boolean;
  readonly onArchive: (isShown: boolean) => void;
}

export function WallBar(props: WallBarProps) {
  const arrangement = useMarks((now) => now.arrangement);
  const byId = useSessions((now) => now.byId);
  const hasNodes = useSessions((now) => now.nodes.length > 0);
  return (
    <div className="wall-bar">
      <input
        className="search wall-filter"
        type="search"
        placeholder="Filter: name, command, folder, label, state"
        aria-label="Filter sessions"
        value={props.filter}
        onChange={(event) => props.onFilter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') props.onOpenFirst();
          else if (event.key === 'Escape') props.onFilter('');
        }}
      />
      <label className="inline-field">
        <span>Group by</span>
        <select value={arrangement} onChange={(event) => arrange(event.target.value as Arrangement)}>
          <option value="state">state</option>
          <option value="folder">folder</option>
          {hasNodes && <option value="machine">machine</option>}
          {labelKeys(byId.values()).map((key) => (
            <option key={key} value={`label ${key}`}>
              label {key}
            </option>
          ))}
        </select>
      </label>
      {(props.archivedCount > 0 || props.isArchiveShown) && (
        <button
          type="button"
          className="button"
          aria-pressed={props.isArchiveShown}
          onClick={() => props.onArchive(!props.isArchiveShown)}
        >
          Archive <span className="count">{props.archivedCount}</span>
        </button>
      )}
    </div>
  );
}
