/** A group of sessions as tiles. */
import type { SessionInfo } from '@spool/client';
import { Tile } from './Tile.tsx';

export function Wall({ title, sessions }: { readonly title: string; readonly sessions: readonly SessionInfo[] }) {
  return (
    <section className="wall" aria-label={title}>
      <h2 dir="auto">
        {title} <span className="count">{sessions.length}</span>
      </h2>
      <ul className="tiles">
        {sessions.map((session) => (
          <Tile key={session.id} session={session} />
        ))}
      </ul>
    </section>
  );
}
