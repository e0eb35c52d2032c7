/**
 * Finds the commands in a shell line, wherever they are: in pipes, lists, substitutions, here-documents, functions, loops, and in
 * the commands that plain forms of `sudo`, `xargs`, `bash -c` and the like run. Rules that deny use this reading; rules that
 * allow use `literal-line.ts`, and both readings must agree. Keeps POL-1.
 */
import { forEachChild, parse, type SyntaxNode, type Word } from 'unbash';
import { innerCommand } from './wrappers.ts';

/** The words as the program gets them. Undefined if they are known only when the line runs. */
type CommandWords = readonly (string | undefined)[];

export interface ShellCommands {
  /** The commands of the line itself, in order. */
  readonly commands: readonly CommandWords[];
  /** The commands that those certainly run. */
  readonly inner: readonly CommandWords[];
}

const LINE_CHARS_MAX = 32 * 1024;
const DEPTH_MAX = 8;

/** The parts of words that the shell replaces. */
const DYNAMIC: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
  'Glob',
  'ExtendedGlob',
  'BraceExpansion',
]);

export function findCommands(text: string, depth = 0): ShellCommands {
  const commands: CommandWords[] = [];
  const inner: CommandWords[] = [];
  if (text.length > LINE_CHARS_MAX || depth > DEPTH_MAX) return { commands, inner };

  const lookInside = (words: CommandWords): void => {
    const found = innerCommand(words);
    if (!found) return;
    if ('words' in found) {
      inner.push(found.words);
      if (inner.length < LINE_CHARS_MAX) lookInside(found.words);
    } else {
      const nested = findCommands(found.script, depth + 1);
      inner.push(...nested.commands, ...nested.inner);
    }
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name) {
      const words = [node.name, ...node.args].map((word) => (word.type === 'Word' ? valueOf(word) : word.text));
      commands.push(words);
      lookInside(words);
    }
    forEachChild(node, visit);
  };
  visit(parse(text));
  return { commands, inner };
}

/** Returns the value of a word; undefined if the shell computes it when the line runs. */
function valueOf(word: Word): string | undefined {
  let isDynamic = false;
  const look = (node: SyntaxNode): void => {
    if (DYNAMIC.has(node.type)) isDynamic = true;
    else forEachChild(node, look);
  };
  forEachChild(word, look);
  // Without parts the word is plain text; a remaining `~` or pattern is still replaced.
  if (!word.parts && /^~|[*?[]|\{.*[,.].*\}/.test(word.text) && !/^['"]/.test(word.text)) isDynamic = true;
  return isDynamic ? undefined : word.value;
}
