/**
 * Messages and frames. `schemas.ts` is separate (`@spool/protocol/schemas`): only the side that validates pays for
 * loading it.
 */
export * from './address.ts';
export * from './doors.ts';
export * from './errors.ts';
export type * from './events-record.ts';
export * from './escrow.ts';
export * from './frame.ts';
export * from './home.ts';
export * from './json.ts';
export * from './limits.ts';
export * from './log-line.ts';
export * from './grid.ts';
export * from './listing.ts';
export type * from './notices.ts';
export * from './private-folder.ts';
export * from './question.ts';
export * from './roles.ts';
export * from './signals.ts';
export * from './status.ts';
export * from './task.ts';
export * from './messages.ts';
export { errorSentence } from './error-sentence.ts';
export * from './user-shell.ts';
