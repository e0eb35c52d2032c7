/** Says when what the page shows may not be the present. Nothing in the first moments: most breaks heal before they are read. */
import { freshness } from '../link/freshness.ts';
import { useSessions } from '../sessions/store.ts';
import { ageText, useNow } from './ages.ts';

export function LinkNotice() {
  const isLost = useSessions(({ link }) => link.type === 'lost');
  const now = useNow();
  const since = freshness.staleSince(now);
  if (since === null) return null;
  return (
    <p className="link-notice" role="status">
      {isLost ? 'Not connected. ' : ''}What you see is {ageText(now - since)} old; trying again.
    </p>
  );
}
