/** Shows how long ago something was. Each second it renders only itself, not the elements around it. */
import { shortDuration } from '@spool/protocol/duration';
import { useNow } from './ages.ts';

export function Age({ since, className }: { readonly since: number; readonly className?: string }) {
  return <span className={className}>{shortDuration(useNow() - since)}</span>;
}
