/** The vocabulary of agents. Types only: the schema is an entrance of its own, so that no client pays for loading zod. */
export type * from './commands.ts';
export type * from './events.ts';
export { AGENT_EVENTS_VERSION, OPTION_KINDS, TOOL_KINDS } from './events.ts';
