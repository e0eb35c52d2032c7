/** The session in whose terminal this program prints, if it does. */
import { isTerminal } from './stdio.ts';

export function ownSession(): string | undefined {
  return (isTerminal(1) && process.env.SPOOL_SESSION) || undefined;
}
