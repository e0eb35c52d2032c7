/** The command of a session as lists show it. */
import type { SessionInfo } from '@spool/protocol';
import type { VisibleText } from '@spool/protocol/visible-text';
import { printCommand, printable } from './printable.ts';

/**
 * Returns the command line; for an agent without a terminal its name and first prompt, because its command line is only plumbing.
 */
export function commandWords({ command, driver, size }: Pick<SessionInfo, 'command' | 'driver' | 'size'>): VisibleText {
  if (driver === undefined || size !== null) return printCommand(command);
  return printable(driver.prompt === undefined ? driver.name : `${driver.name}: ${driver.prompt}`);
}
