/**
 * Reads a shell line into its segments: every simple command in it, wherever it hides (pipes, lists, substitutions, here-documents,
 * functions, loops, `bash -c`, `xargs`, `find -exec`, …). What cannot be known before the line runs makes a segment or the whole line
 * uncertain, with the reason. Keeps POL-2.
 */
import { forEachChild, parse, type SyntaxNode, type Word } from 'unbash';
import { innerCommand } from './wrappers.ts';

export interface Segment {
  /** The words as the program gets them. Undefined: known only when the line runs. */
  readonly words: readonly (string | undefined)[];
}

export interface ShellLine {
  readonly segments: readonly Segment[];
  /** Why this line cannot be allowed by rules about its segments alone. */
  readonly doubts: readonly string[];
}

/** A longer line is not read by people either. */
const LINE_CHARS_MAX = 32 * 1024;
const DEPTH_MAX = 8;

/** Control characters but tab and newline, characters without width, and those that reorder text. */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{e0000}-\u{e0fff}]/u;
/** Spaces that look like a separator and are none. */
const FALSE_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;

/** Parts of words that the shell replaces. */
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

/** Shell code that does something beside running its commands, or evaluates text. */
const DOUBTFUL: Readonly<Record<string, string>> = {
  Function: 'defines a function',
  Coproc: 'starts a coprocess',
  ArithmeticCommand: 'evaluates arithmetic',
  ArithmeticFor: 'evaluates arithmetic',
  ArithmeticExpansion: 'evaluates arithmetic',
  TestCommand: 'evaluates a condition',
  Assignment: 'sets a variable',
  HereDoc: 'has a here-document',
  HereString: 'has a here-string',
  ProcessSubstitution: 'has a process substitution',
};

export function readShellLine(text: string, depth = 0): ShellLine {
  const segments: Segment[] = [];
  const doubts = new Set<string>();
  if (text.length > LINE_CHARS_MAX) return { segments, doubts: ['is too long'] };
  if (depth > DEPTH_MAX) return { segments, doubts: ['is nested too deeply'] };
  if (INVISIBLE.test(text)) doubts.add('has invisible characters');
  if (FALSE_SPACE.test(text)) doubts.add('has spaces that are not blanks');
  const script = parse(text);
  if (script.errors?.length) doubts.add('cannot be parsed');

  const add = (words: Segment['words']): void => {
    segments.push({ words });
    const inner = innerCommand(words);
    if (!inner) return;
    if (inner.doubt !== undefined) doubts.add(inner.doubt);
    if ('words' in inner) add(inner.words);
    else if (inner.script !== undefined) {
      const nested = readShellLine(inner.script, depth + 1);
      segments.push(...nested.segments);
      for (const doubt of nested.doubts) doubts.add(doubt);
    }
  };

  const visit = (node: SyntaxNode): void => {
    const doubt = Object.hasOwn(DOUBTFUL, node.type) ? DOUBTFUL[node.type] : undefined;
    if (doubt !== undefined) doubts.add(doubt);
    if (node.type === 'Command') {
      if (node.name) add([node.name, ...node.args].map((word) => (word.type === 'Word' ? valueOf(word) : word.text)));
    } else if (node.type === 'Redirect') {
      const harmless = harmlessRedirect(node.operator, node.target);
      if (!harmless) doubts.add('redirects to or from a file');
    } else if (node.type === 'CommandExpansion' && !node.script) doubts.add('cannot be parsed');
    forEachChild(node, visit);
  };
  visit(script);
  return { segments, doubts: [...doubts] };
}

/** What `/bin/bash -lc '…'` runs, if the line is nothing else: Codex wraps every command in it. */
export function loginShellScript(text: string): string | undefined {
  const { commands, errors } = parse(text);
  const [only] = commands;
  const command = only?.command;
  if (errors?.length || commands.length !== 1 || only?.background || command?.type !== 'Command') return undefined;
  if (command.prefix.length > 0 || command.suffix.length !== 2 || command.redirects.length > 0) return undefined;
  const [shell, flag, script] = [command.name, ...command.args].map((word) =>
    word?.type === 'Word' ? valueOf(word) : undefined,
  );
  const isShell = /^(\/(usr\/)?bin\/)?(ba|z)?sh$/.test(shell ?? '');
  return isShell && (flag === '-lc' || flag === '-c') ? script : undefined;
}

/** The value of a word; undefined if the shell makes it up when the line runs. */
function valueOf(word: Word): string | undefined {
  let isDynamic = false;
  const look = (node: SyntaxNode): void => {
    if (DYNAMIC.has(node.type)) isDynamic = true;
    else forEachChild(node, look);
  };
  forEachChild(word, look);
  // Without parts the word is plain text; what is left of `~` and of patterns is still replaced.
  if (!word.parts && /^~|[*?[]|\{.*[,.].*\}/.test(word.text) && !/^['"]/.test(word.text)) isDynamic = true;
  return isDynamic ? undefined : word.value;
}

function harmlessRedirect(operator: string, target: Word | undefined): boolean {
  const value = target && valueOf(target);
  if (value === undefined) return false;
  if (value === '/dev/null') return true;
  return (operator === '>&' || operator === '<&') && /^(\d+|-)$/.test(value);
}
