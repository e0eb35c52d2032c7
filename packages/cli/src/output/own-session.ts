/** Returns the session in whose terminal this program prints, if there is one. */
import { isTerminal } from './stdio.ts';

export function ownSession(): string | undefined {
  return (isTerminal(1) && process.env.SPOOL_SESSION) || undefined;
}
