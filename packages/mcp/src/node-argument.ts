/**
 * The node of a call: every tool accepts `node`, and `NODE/ID` as the name of a session. The schemas show it only where there are
 * nodes, because agents pay for every word. Keeps MCP-15.
 */
import { z } from 'zod';
import { CallError } from './tool.ts';

const NODE = z.string().min(1).max(100);

/** Returns the input of a tool as agents see it. */
export function withNode(input: z.ZodObject, isShown: boolean): z.ZodObject {
  return isShown ? input.extend({ node: NODE.optional().describe('a node from spool_list') }) : input;
}

export interface SplitArguments {
  readonly node: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Takes the node out of the arguments of a call. `nodes` are the known names: others may be part of the name of a session. */
export function splitNode(given: unknown, nodes: readonly string[]): SplitArguments {
  const { node: named, ...args } = Object(given) as Record<string, unknown>;
  if (named !== undefined && !NODE.safeParse(named).success)
    throw new CallError('node must be the name of a node; spool_list lists them');
  const found = new Set<string | undefined>();
  const own = (reference: unknown): unknown => {
    const node = nodes.find((name) => typeof reference === 'string' && reference.startsWith(`${name}/`));
    found.add(node ?? (named as string | undefined));
    return node === undefined ? reference : (reference as string).slice(node.length + 1);
  };
  if (typeof args['session'] === 'string') args['session'] = own(args['session']);
  if (Array.isArray(args['sessions'])) args['sessions'] = args['sessions'].map(own);
  if (found.size > 1 || (named !== undefined && found.size === 1 && !found.has(named as string)))
    throw new CallError('one call is for the sessions of one machine; nothing was done');
  return { node: (named as string | undefined) ?? [...found][0], args };
}
