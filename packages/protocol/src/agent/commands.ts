/** The commands that a client may send to an agent; `command-schema.ts` describes them. */
import type { MessageOf } from '../message-type.ts';
import type { AGENT_COMMAND_SCHEMA } from './command-schema.ts';

export type Command = MessageOf<typeof AGENT_COMMAND_SCHEMA>;
