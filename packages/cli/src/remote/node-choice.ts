/**
 * Decides on which machines a command acts: `--node NODE`, `NODE/ID` as the name of a session, or a name that only one node has. A
 * slash has this meaning only after a known node, because names of sessions may contain one too. Keeps NODE-6, and NODE-40 with
 * `bare-names.ts`: a session of this machine counts before one of a node.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homeFrom, nodesFile } from '@spool/protocol';
import type { ParsedArguments, VerbSyntax } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { NodeHost } from './host.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The part of a command that is for one machine. */
export interface MachinePart {
  /** The node; null means this machine. */
  readonly host: NodeHost | null;
  /** The arguments in the form for that machine. */
  readonly args: ParsedArguments<VerbSyntax>;
}

/** Finds the nodes of sessions that were named without one; null is this machine. */
export type FindNodes = (references: readonly string[]) => Promise<readonly (string | null)[]>;

/** The verbs that can act on sessions of several machines: one after the other, or on all at once. */
const SEVERAL: Readonly<Record<string, 'in turn' | 'at once'>> = {
  stop: 'in turn',
  kill: 'in turn',
  rm: 'in turn',
  rerun: 'in turn',
  wait: 'at once',
  events: 'at once',
};

/** Returns the parts of a command; empty if the whole command is for this machine. */
export async function machineParts(
  name: string,
  verb: VerbSyntax,
  args: ParsedArguments<VerbSyntax>,
  find: FindNodes,
  env: Variables = process.env,
): Promise<readonly MachinePart[]> {
  const { node: asked } = args.flags;
  const known = new Set(nodeNames(env));
  const places = args.operands.map((operand, at) => ({
    ...(isReference(verb, args, at) ? placeOf(operand, known) : { node: undefined, id: operand }),
    isReference: isReference(verb, args, at),
  }));
  const references = places.filter((place) => place.isReference);
  if (asked !== undefined) {
    if (references.some(({ node }) => node !== undefined && node !== asked)) throw severalMachines(name);
    return [part(asked, args, places)];
  }
  const bare = references.filter(({ node }) => node === undefined);
  const found = bare.length > 0 && known.size > 0 ? await find(bare.map(({ id }) => id)) : bare.map(() => null);
  const nodeOf = new Map(references.map((place) => [place, place.node ?? found[bare.indexOf(place)] ?? null]));
  const machines = new Set(nodeOf.values());
  if (machines.size === 0 || (machines.size === 1 && machines.has(null))) return [];
  if (machines.size > 1 && !Object.hasOwn(SEVERAL, name)) throw severalMachines(name);
  return [...machines].map((node) =>
    part(
      node,
      args,
      places.filter((place) => !place.isReference || nodeOf.get(place) === node),
    ),
  );
}

/** Runs the parts of a command. Returns the first exit code that is not 0; for `wait --any`, that of the first part that ends. */
export async function runParts(
  name: string,
  parts: readonly MachinePart[],
  run: (part: MachinePart) => Promise<number>,
): Promise<number> {
  const codes: number[] = [];
  if (parts.length > 1 && SEVERAL[name] === 'at once') {
    const running = parts.map(run);
    if ((parts[0]!.args.flags as { readonly any?: boolean }).any === true) return await Promise.race(running);
    codes.push(...(await Promise.all(running)));
  } else for (const each of parts) codes.push(await run(each));
  return codes.find((code) => code !== 0) ?? 0;
}

/** Returns the names of the nodes, which are in a file of the gateway. */
export function nodeNames(env: Variables = process.env): readonly string[] {
  try {
    const file = nodesFile(homeFrom(env, process.getuid?.() ?? 0));
    if (!existsSync(file)) return [];
    const nodes = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly name: string }[];
    return nodes.map(({ name }) => name);
  } catch {
    return []; // there is no folder, or the file is damaged, which the gateway reports
  }
}

function part(
  node: string | null,
  args: ParsedArguments<VerbSyntax>,
  places: readonly { readonly id: string }[],
): MachinePart {
  const host = node === null ? null : { node, from: `the node ${node}` };
  return { host, args: { ...args, operands: places.map(({ id }) => id) } };
}

function severalMachines(name: string): UsageError {
  return new UsageError('one command is for the sessions of one machine; use one command for each', name);
}

function placeOf(
  operand: string,
  known: ReadonlySet<string>,
): { readonly node: string | undefined; readonly id: string } {
  const slash = operand.indexOf('/');
  const node = operand.slice(0, Math.max(0, slash));
  return known.has(node) ? { node, id: operand.slice(slash + 1) } : { node: undefined, id: operand };
}

/** Returns whether this operand names a session. With `--latest`, no operand does. */
function isReference(
  { operands, commandAfter }: VerbSyntax,
  { operands: given, flags }: ParsedArguments<VerbSyntax>,
  at: number,
): boolean {
  if (commandAfter !== undefined && given[0] === commandAfter) return false;
  if ((flags as { readonly latest?: boolean }).latest === true) return false;
  const place = operands[Math.min(at, operands.length - 1)];
  return place !== undefined && /^\[?ID\b/.test(place);
}
