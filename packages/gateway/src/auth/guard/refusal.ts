/** Creates the error for an action that a role does not allow. */
import { SpoolError } from '@spool/protocol';

export function tooLow(what: string, role: string, needed: string): SpoolError {
  return new SpoolError('ROLE_TOO_LOW', { what, role, needed });
}
