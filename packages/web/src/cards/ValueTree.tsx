/** A JSON value as a tree that opens by steps; texts are shown as they are. */
import { visible, visibleTitle } from '@spool/render';
import { useState } from 'react';

const KEY_CHARACTERS_MAX = 200;
const TEXT_CHARACTERS_MAX = 20_000;
const MEMBERS_MAX = 200;
/** The depth to which a tree is open at first. */
const DEPTH_OPEN = 2;

interface TreeProps {
  readonly value: unknown;
  readonly depth?: number;
}

export function ValueTree({ value, depth = 0 }: TreeProps) {
  if (typeof value === 'object' && value !== null) return <Members value={value} depth={depth} />;
  if (typeof value !== 'string') return <span className="tree-value">{String(value)}</span>;
  return <span className="tree-text">{value.slice(0, TEXT_CHARACTERS_MAX).split('\n').map(visible).join('\n')}</span>;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function Members({ value, depth }: { readonly value: object; readonly depth: number }) {
  const [isOpen, setOpen] = useState(depth < DEPTH_OPEN);
  const members = Object.entries(value);
  const size = counted(members.length, Array.isArray(value) ? 'item' : 'member');
  if (members.length === 0) return <span className="tree-value">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <details className="tree" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{size}</summary>
      {isOpen && (
        <dl>
          {members.slice(0, MEMBERS_MAX).map(([key, member]) => (
            <div key={key}>
              <dt>{visibleTitle(key, KEY_CHARACTERS_MAX)}</dt>
              <dd>
                <ValueTree value={member} depth={depth + 1} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {members.length > MEMBERS_MAX && <p className="quiet">{members.length - MEMBERS_MAX} more are in the log</p>}
    </details>
  );
}
