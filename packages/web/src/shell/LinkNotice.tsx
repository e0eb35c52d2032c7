/**
 * Shows that the content of the page may be out of date. It stays empty in the first moments: most broken links recover before it
 * could be read.
 */
import { shortDuration } from '@spool/protocol/duration';
import { freshness } from '../link/freshness.ts';
import { useSessions } from '../sessions/store.ts';
import { useNow } from './ages.ts';

export function LinkNotice() {
  const isLost = useSessions(({ link }) => link.type === 'lost');
  const now = useNow();
  const since = freshness.staleSince(now);
  if (since === null) return null;
  return (
    <p className="link-notice" role="status">
      {isLost ? 'Not connected. ' : ''}Last update {shortDuration(now - since)} ago. Reconnecting…
    </p>
  );
}
