/** Words and wire. `schemas.ts` is apart (`@spool/protocol/schemas`): only the edge that checks pays for loading it. */
export * from './address.ts';
export * from './errors.ts';
export * from './escrow.ts';
export * from './frame.ts';
export * from './home.ts';
export * from './json.ts';
export * from './limits.ts';
export * from './listing.ts';
export * from './status.ts';
export * from './task.ts';
export * from './messages.ts';
