/** Finds the grammar of a command. */
import { type Grammar, type GrammarResult, understand } from './grammar.ts';
import { GIT } from './git.ts';
import { PROGRAMS } from './programs.ts';

/** Reads a whole command, program and all. */
export function understandCommand(words: readonly string[]): GrammarResult {
  const [name = '', second = '', ...rest] = words;
  if (name === 'git') {
    const grammar = own(GIT, second);
    return grammar
      ? understand(grammar, rest)
      : { refusal: `no grammar of harmless options is known for git ${JSON.stringify(second)}` };
  }
  const grammar = own(PROGRAMS, name);
  return grammar
    ? understand(grammar, words.slice(1))
    : { refusal: `no grammar of harmless options is known for ${name}` };
}

/** Returns whether the program has a grammar; for git, the subcommand. `*` as the subcommand stands for each of them. */
export function hasGrammar(name: string, second: string | undefined): boolean {
  if (name !== 'git') return Object.hasOwn(PROGRAMS, name);
  return second === undefined || second === '*' || Object.hasOwn(GIT, second);
}

/** The programs with a grammar, for texts. */
export function programsWithGrammar(): readonly string[] {
  return [...Object.keys(PROGRAMS), ...Object.keys(GIT).map((name) => `git ${name}`)].toSorted();
}

function own(table: Readonly<Record<string, Grammar>>, name: string): Grammar | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
