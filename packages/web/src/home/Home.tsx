/** The front page: what waits for the user, then everything that runs, then what has ended. */
import { useMemo } from 'react';
import { Inbox } from '../inbox/Inbox.tsx';
import { inOrder } from '../sessions/order.ts';
import { useSessions } from '../sessions/store.ts';
import { Wall } from '../wall/Wall.tsx';
import { WallCanvas } from '../wall/WallCanvas.tsx';
import { EmptyState } from './EmptyState.tsx';

export function Home() {
  const byId = useSessions((now) => now.byId);
  const isLoaded = useSessions((now) => now.isLoaded);
  const sessions = useMemo(() => inOrder(byId.values()), [byId]);
  const waiting = sessions.filter(({ state, status }) => state === 'running' && status.state === 'blocked');
  const running = sessions.filter(({ state }) => state === 'running');
  const ended = sessions.filter(({ state }) => state !== 'running');
  if (!isLoaded) return <div className="loading quiet">Connecting…</div>;
  if (sessions.length === 0) return <EmptyState />;
  return (
    <div className="home">
      <WallCanvas />
      <Inbox sessions={waiting} />
      <Wall title="Running" sessions={running} />
      <Wall title="Ended" sessions={ended} />
    </div>
  );
}
