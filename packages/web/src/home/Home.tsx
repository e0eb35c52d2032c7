/**
 * The front page: sessions that wait for the user, then all others in groups, each once. The filter applies to both. Keeps PAGE-35.
 */
import { useMemo, useState } from 'react';
import { Inbox } from '../inbox/Inbox.tsx';
import { groupsOf } from '../sessions/groups.ts';
import { useMarks } from '../sessions/marks.ts';
import { inOrder, matches } from '../sessions/order.ts';
import { useSessions } from '../sessions/store.ts';
import { go } from '../shell/route.ts';
import { conditionOf } from '../state/condition.ts';
import { Wall } from '../wall/Wall.tsx';
import { WallCanvas } from '../wall/WallCanvas.tsx';
import { EmptyState } from './EmptyState.tsx';
import { NodeBar } from './NodeBar.tsx';
import { useHomeKeys } from './home-keys.ts';
import { WallBar } from './WallBar.tsx';

export function Home() {
  const byId = useSessions((now) => now.byId);
  const isLoaded = useSessions((now) => now.isLoaded);
  const { pinned, archived, arrangement } = useMarks();
  const [filter, setFilter] = useState('');
  const [isArchiveShown, setArchiveShown] = useState(false);
  const sessions = useMemo(() => inOrder(byId.values()), [byId]);
  const shown = useMemo(
    () => sessions.filter(({ id }) => archived.has(id) === isArchiveShown).filter((one) => matches(one, filter)),
    [sessions, archived, isArchiveShown, filter],
  );
  // A waiting session is in the inbox, so it is not shown a second time.
  const tiles = useMemo(() => shown.filter((session) => conditionOf(session) !== 'waits'), [shown]);
  const asking = useMemo(() => sessions.filter((session) => matches(session, filter)), [sessions, filter]);
  const groups = useMemo(() => groupsOf(tiles, { arrangement, pinned }), [tiles, arrangement, pinned]);
  useHomeKeys();
  if (!isLoaded) return <div className="loading quiet">Connecting…</div>;
  if (sessions.length === 0) return <EmptyState />;
  const openFirst = (): void => {
    const first = asking.find((session) => conditionOf(session) === 'waits') ?? groups[0]?.sessions[0];
    if (first !== undefined) go({ page: 'session', id: first.id, view: 'terminal' });
  };
  return (
    <div className="home">
      <WallCanvas />
      <NodeBar />
      <Inbox
        sessions={sessions}
        shown={asking}
        bar={
          <WallBar
            filter={filter}
            onFilter={setFilter}
            onOpenFirst={openFirst}
            archivedCount={sessions.filter(({ id }) => archived.has(id)).length}
            isArchiveShown={isArchiveShown}
            onArchive={setArchiveShown}
          />
        }
      />
      {groups.map(({ title, sessions: members }) => (
        <Wall key={title} title={title} sessions={members} />
      ))}
      {groups.length === 0 && asking.length === 0 && (
        <p className="quiet none" role="status">
          {filter === '' ? 'Nothing here.' : `No session matches “${filter}”.`}
        </p>
      )}
    </div>
  );
}
