/**
 * The part of the table of verbs that parsing needs. The bundler runs this file and bundles its result (`scripts/bundle.mjs`), so
 * that a command loads no help of any verb. Keeps SPEED-1.
 */
import type { Verb, VerbSyntax } from './arguments.ts';
import { type VerbName, VERBS } from './verb-table.ts';

/** The syntax of each verb, made on demand. */
export const SYNTAX = Object.fromEntries(
  Object.entries<Verb>(VERBS).map(([name, verb]) => [name, () => syntaxOf(verb)]),
) as Readonly<Record<VerbName, () => VerbSyntax>>;

/** The verbs by their other names. */
export const ALIASES = Object.fromEntries(
  Object.entries<Verb>(VERBS).flatMap(([name, { aliases = [] }]) => aliases.map((alias) => [alias, name])),
) as Readonly<Record<string, VerbName>>;

function syntaxOf({ operands, flags, commandAfter, signalFlag }: Verb): VerbSyntax {
  return {
    operands,
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, { about: _about, words: _words, ...syntax }]) => [name, syntax]),
    ),
    ...(commandAfter !== undefined && { commandAfter }),
    ...(signalFlag !== undefined && { signalFlag }),
  };
}
