/** The vocabulary of agents. It has only types: the schema has a separate entry point, so that no client has to load zod. */
export * from './command-limits.ts';
export type * from './commands.ts';
export type * from './events.ts';
export * from './headline.ts';
export * from './kinds.ts';
export * from './last-words.ts';
