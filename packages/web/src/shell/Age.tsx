/** Shows how long ago something was. It renders itself again each second, and no element around it. */
import { shortDuration } from '@spool/protocol/duration';
import { useNow } from './ages.ts';

export function Age({ since, className }: { readonly since: number; readonly className?: string }) {
  return <span className={className}>{shortDuration(useNow() - since)}</span>;
}
