/** What a tool is: a name, what it takes, and what it does with a client of the daemon. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Client } from '@spool/client/node';
import { z } from 'zod';

export interface Call {
  readonly client: Client;
  /** Who asks, as it calls itself. */
  readonly agent: string;
  /** The client gave the call up, or has gone. */
  readonly signal: AbortSignal;
  /** Of this process; children get what may pass of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Text for a model to read; `data` for a program, where the tool says what it looks like. */
export type Answer = string | { readonly text: string; readonly data: Readonly<Record<string, unknown>> };

export interface Tool<Input extends z.ZodObject> {
  readonly name: string;
  /** Every word of it is paid for by every agent that has the tools: short. */
  readonly description: string;
  readonly input: Input;
  readonly output?: z.ZodObject;
  readonly hints: ToolAnnotations;
  call(args: z.output<Input>, call: Call): Promise<Answer>;
}

// `call` is a method, and so may be held as one that takes anything: what it is called with was parsed by `input`.
export type AnyTool = Tool<z.ZodObject>;

/** Only there so that the arguments have the type of the input. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool<Input> {
  return definition;
}

/** A call that cannot be done as it was asked for: a sentence that says what to do instead. */
export class CallError extends Error {}

export const LOOKS: ToolAnnotations = { readOnlyHint: true };
/** What runs or is typed may do anything. */
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true };

export const sessionInput = z.string().min(1).describe('id or name');
/** Without bounds in its schema: those of a safe integer are sixteen digits that say nothing. */
export const offsetInput = z.number().min(0).refine(Number.isSafeInteger, 'a whole number of bytes');

/** Clients give a call up after a minute or so: better to answer before, with how things are. */
export const WAIT_SECONDS = 50;
const WAIT_SECONDS_MAX = 24 * 60 * 60;

export const waitSecondsInput = (seconds: number): z.ZodDefault<z.ZodNumber> =>
  z.number().min(0).max(WAIT_SECONDS_MAX).default(seconds);
