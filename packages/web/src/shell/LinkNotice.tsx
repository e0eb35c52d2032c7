/** Says when what the page shows is not the present. Nothing in the first moments: most breaks heal before they are read. */
import { useSessions } from '../sessions/store.ts';
import { ageText, useNow } from './ages.ts';

const QUIET_MS = 3_000;

export function LinkNotice() {
  const link = useSessions((now) => now.link);
  const now = useNow();
  if (link.type !== 'lost' || now - link.since < QUIET_MS) return null;
  return (
    <p className="link-notice" role="status">
      Not connected. What you see is {ageText(now - link.since)} old; trying again.
    </p>
  );
}
