/**
 * Decides which node a command is for: `--node NODE`, or `NODE/ID` as the name of a session. A slash is part of such a name only after
 * a known node, because names of sessions may contain one too. Keeps NODE-6.
 */
import { readFileSync } from 'node:fs';
import { homeFrom, nodesFile } from '@spool/protocol';
import type { ParsedArguments, Verb } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { NodeHost } from './host.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface ChosenNode {
  readonly host: NodeHost;
  /** The arguments as they are meant on the node. */
  readonly args: ParsedArguments<Verb>;
}

/** Returns the node of a command; null for this machine. */
export function chooseNode(
  name: string,
  verb: Verb,
  args: ParsedArguments<Verb>,
  env: Variables = process.env,
): ChosenNode | null {
  const known = knownNodes(env);
  const places = args.operands.map((operand, at) =>
    isReference(verb, args.operands, at) ? placeOf(operand, known) : { node: undefined, id: operand },
  );
  const named = new Set(places.flatMap(({ node }) => node ?? []));
  const references = places.filter((_, at) => isReference(verb, args.operands, at));
  const node = args.flags.node ?? [...named][0];
  if (node === undefined) return null;
  const isMixed = args.flags.node === undefined && references.some((place) => place.node !== node);
  if (isMixed || [...named].some((each) => each !== node))
    throw new UsageError('one command is for the sessions of one machine; use one command for each', name);
  return { host: { node, from: `the node ${node}` }, args: { ...args, operands: places.map(({ id }) => id) } };
}

/** Returns the names of the nodes, which are in a file of the gateway. */
function knownNodes(env: Variables): ReadonlySet<string> {
  try {
    const nodes = JSON.parse(readFileSync(nodesFile(homeFrom(env, process.getuid?.() ?? 0)), 'utf8')) as unknown;
    return new Set((nodes as readonly { readonly name: string }[]).map(({ name }) => name));
  } catch {
    return new Set(); // there are none
  }
}

function placeOf(
  operand: string,
  known: ReadonlySet<string>,
): { readonly node: string | undefined; readonly id: string } {
  const slash = operand.indexOf('/');
  const node = operand.slice(0, Math.max(0, slash));
  return known.has(node) ? { node, id: operand.slice(slash + 1) } : { node: undefined, id: operand };
}

/** Returns whether this operand names a session. */
function isReference({ operands, commandAfter }: Verb, given: readonly string[], at: number): boolean {
  if (commandAfter !== undefined && given[0] === commandAfter) return false;
  const place = operands[Math.min(at, operands.length - 1)];
  return place !== undefined && /^\[?ID\b/.test(place);
}
