/** The vocabulary of agents. It has types only: the schema has a separate entry point, so that no client has to load zod. */
export * from './command-limits.ts';
export type * from './commands.ts';
export type * from './events.ts';
export { AGENT_EVENTS_VERSION, OPTION_KINDS, TOOL_KINDS } from './events.ts';
export * from './headline.ts';
