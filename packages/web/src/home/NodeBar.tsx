/**
 * The nodes and their health, above the wall: online, or since when they are away; a version that differs from this machine's is
 * shown. Keeps NODE-45.
 */
import type { NodeInfo } from '@spool/client';
import { VERSION } from '@spool/client';
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
            <span className="quiet">{versionWords(node)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the version unless it is that of this page, or unknown. */
function versionWords({ version, sessions }: NodeInfo): string {
  const count = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  if (version === null) return 'never seen';
  return version === VERSION ? count : `${count}, version ${version} (here ${VERSION})`;
}
