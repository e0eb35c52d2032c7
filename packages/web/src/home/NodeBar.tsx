/**
 * The nodes and their health, above the wall: online, or since when and why they are away; a version that differs from this machine's is
 * shown with the cure. Keeps NODE-45 and NODE-62.
 */
import type { NodeInfo } from '@spool/client';
import { skewLine } from '@spool/protocol';
import { useSessions } from '../sessions/store.ts';
import { Age } from '../shell/Age.tsx';

export function NodeBar() {
  const nodes = useSessions((now) => now.nodes);
  if (nodes.length === 0) return null;
  return (
    <section className="node-bar" aria-label="Nodes">
      <ul>
        {nodes.map((node) => (
          <li key={node.name} data-state={node.state}>
            <strong className="one-line" dir="auto">
              {node.name}
            </strong>{' '}
            {node.state === 'online' ? (
              <span className="node-state">online</span>
            ) : (
              <span className="node-state">
                away since <Age className="age" since={node.since} />
              </span>
            )}{' '}
            {node.reason !== undefined && (
              <span className="quiet" dir="auto">
                {node.reason}
              </span>
            )}{' '}
            <span className="quiet">{countWords(node)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the number of sessions, and the cure if the versions differ. */
function countWords(node: NodeInfo): string {
  if (node.version === null) return 'never seen';
  const count = `${node.sessions} ${node.sessions === 1 ? 'session' : 'sessions'}`;
  const skew = skewLine(node);
  return skew === null ? count : `${count}. ${skew}`;
}
