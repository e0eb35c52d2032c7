/** The commands that a client may send to an agent; `command-schema.ts` describes them. */
import type { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import type { AGENT_COMMAND_SCHEMA } from './command-schema.ts';

export type Command = Immutable<z.infer<typeof AGENT_COMMAND_SCHEMA>>;
