/** A tool: its name, its input and its code. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Client } from '@spool/client/node';
import { z } from 'zod';

export interface Call {
  readonly client: Client;
  /** The name of the calling client. */
  readonly agent: string;
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** The environment of this process; children get the allow-listed variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the call is for this machine, and it has nodes. */
  readonly hasNodes: boolean;
}

/** The answer of a tool: text for the model, and the same as data for a program. */
export interface ToolData {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Tool<Input extends z.ZodObject> {
  readonly name: string;
  /** The description for the model; keep it short, because every agent with the tools pays for every word. */
  readonly description: string;
  readonly input: Input;
  readonly output?: z.ZodObject;
  readonly hints: ToolAnnotations;
  call(args: z.output<Input>, call: Call): Promise<ToolData>;
}

// `call` is a method, so its parameter is bivariant; `input` has parsed its arguments.
export type AnyTool = Tool<z.ZodObject>;

/** Infers the type of the arguments from the input. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool<Input> {
  return definition;
}

/** The error of an invalid call. The message names the valid alternative. */
export class CallError extends Error {}

export const LOOKS: ToolAnnotations = { readOnlyHint: true };
/** Annotations of tools that run commands or send input, which can do anything. */
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true };

export const sessionInput = z.string().min(1).describe('id or name');
/** An offset, without bounds in its schema, because the sixteen digits of a safe integer would only cost tokens. */
export const offsetInput = z.number().min(0).refine(Number.isSafeInteger, 'must be a whole number of bytes');

/**
 * The limit of a call's wait: many clients cancel a call after about a minute, so the answer comes before that, with the present
 * state.
 */
export const WAIT_SECONDS = 50;
const WAIT_SECONDS_MAX = 24 * 60 * 60;

export const waitSecondsInput = (seconds: number): z.ZodDefault<z.ZodNumber> =>
  z.number().min(0).max(WAIT_SECONDS_MAX).default(seconds);
