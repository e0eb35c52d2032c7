/** How long ago something was. It renders itself again each second, and nothing around it. */
import { ageText, useNow } from './ages.ts';

export function Age({ since, className }: { readonly since: number; readonly className: string }) {
  return <span className={className}>{ageText(useNow() - since)}</span>;
}
