/**
 * Finds sentences that must be read twice, by their shape: `npm run texts -- --comments` lists them, with file and line.
 *
 * The shapes come from readings of this repository by outsiders. Each leaves out a noun or names a thing by a relative clause
 * ("What was installed is compared"), or uses a word for which the field has a better one (report, return, notify, continue).
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'rolldown/utils';

const ROOT = resolve(import.meta.dirname, '..');

export interface Comment {
  readonly line: number;
  /** The text without the signs of the comment, in one line. */
  readonly text: string;
  /**
   * Whether it is a doc comment (`/** … *\/`), which describes the declaration after it; other comments may continue a thought.
   */
  readonly isDoc: boolean;
}

export interface UnclearSentence extends Comment {
  readonly file: string;
  readonly shape: string;
}

interface Shape {
  readonly name: string;
  readonly pattern: RegExp;
  /** Whether the shape is a fault only in a doc comment. */
  readonly isOfDocs?: true;
}

const SHAPES: readonly Shape[] = [
  { name: 'tell: report, notify, say, return', pattern: /(?<!\bcan(not)? )\b(tells?|told|telling)\b/i },
  { name: 'nobody, somebody: no one, or the passive', pattern: /\b(nobody|somebody)\b/i },
  { name: 'go on: continue', pattern: /\bgo(es|ing)? on\b/i },
  { name: 'is no X: is not', pattern: /(?<!\bthere )\b(is|are|was|were) no\b(?! (longer|more|one)\b)/i },
  { name: 'of its own: its own', pattern: /\bof (its|their) own\b/i },
  { name: 'stands: is', pattern: /\b(stands|stood|stand)\b(?! (in|for|still)\b|-)/i },
  { name: 'for ever: forever', pattern: /\bfor ever\b/i },
  { name: 'says so: name what is reported', pattern: /\bsays? so\b/i },
  { name: 'anew: again, from the start', pattern: /\banew\b/i },
  { name: 'taken for: mistaken for', pattern: /\btaken for\b/i },
  { name: 'null: X: null means X, null if X', pattern: /(^|[\s(])(null|undefined): [^"'[{]/i },
  {
    name: 'a sentence that begins with "What is"',
    pattern: /(^|[.!?] )What (is|was|has|are|were|had)\b[^?]*?([.;]|$)/,
  },
  {
    name: 'what is, whoever: name the thing or the person',
    pattern: /\bwhat (is|was|are|were|has|had)\b[^?]*?([.;]|$)|\bwhoever\b/,
    isOfDocs: true,
  },
  {
    name: 'an opening without its noun',
    pattern:
      /^(What|Whatever|Who|Whoever|Whose|Which|Why|How|Where|When|Of|By|Until|With|From|For|As|Not|Nothing|Everything|Anything|Those|Told|Asked|So many|So much|Call it)\b/,
    isOfDocs: true,
  },
];

/** Returns the unclear sentences of the files with these prefixes. */
export function unclearSentences(prefixes: readonly string[] = ['']): UnclearSentence[] {
  return sourceFiles()
    .filter((file) => prefixes.some((prefix) => file.startsWith(prefix)))
    .flatMap((file) => unclearIn(file, readFileSync(join(ROOT, file), 'utf8')));
}

/** Returns the unclear sentences of one source. */
export function unclearIn(file: string, source: string): UnclearSentence[] {
  return commentsIn(file, source).flatMap((comment) =>
    shapesOf(comment.text, comment.isDoc).map((shape) => ({ file, shape, ...comment })),
  );
}

/** Returns the names of the unclear shapes in a text. */
export function shapesOf(text: string, isDoc = false): string[] {
  const plain = withoutQuotes(text);
  return SHAPES.filter(({ pattern, isOfDocs }) => (!isOfDocs || isDoc) && pattern.test(plain)).map(({ name }) => name);
}

/**
 * Returns the comments of a source of TypeScript, JavaScript or C; for Markdown, its paragraphs. Line comments in a row are one.
 */
export function commentsIn(file: string, source: string): Comment[] {
  const lineOf = (at: number): number => source.slice(0, at).split('\n').length;
  if (file.endsWith('.md')) return paragraphsOf(source);
  const found: { start: number; end: number; value: string; isLine: boolean }[] = [];
  for (const { type, value, start, end } of rawComments(file, source)) {
    const last = found.at(-1);
    const continues = type === 'Line' && last?.isLine === true && /^\n?[ \t]*$/.test(source.slice(last.end, start));
    if (continues) Object.assign(last, { end, value: `${last.value} ${value}` });
    else found.push({ start, end, value, isLine: type === 'Line' });
  }
  return found.map(({ start, value, isLine }) => ({
    line: lineOf(start),
    text: value
      .replace(/^\*/, '')
      .replace(/^\s*\*\s?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
    isDoc: !isLine && value.startsWith('*'),
  }));
}

interface RawComment {
  readonly type: 'Line' | 'Block';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function rawComments(file: string, source: string): readonly RawComment[] {
  if (!/\.[ch]$/.test(file)) return parseSync(file, source).comments as readonly RawComment[];
  return [...source.matchAll(/"(?:\\.|[^"\\])*"|\/\*([\s\S]*?)\*\/|\/\/(.*)/g)]
    .filter(([, block, line]) => block !== undefined || line !== undefined)
    .map(({ 0: whole, 1: block, 2: line, index }) => ({
      type: block === undefined ? 'Line' : 'Block',
      value: block ?? line!,
      start: index,
      end: index + whole.length,
    }));
}

/** Lines that begin a text: an item of a list, a row of a table, a heading, a quotation. */
const BEGINS_TEXT = /^\s*([-*+] |\d+\. |\||#|>)/;

/** Returns the paragraphs, items of lists, headings and cells of tables, each in one line and without code blocks and HTML comments. */
function paragraphsOf(source: string): Comment[] {
  const texts: { line: number; text: string }[] = [];
  let isCode = false;
  let continues = false;
  for (const [at, line] of source.split('\n').entries()) {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    const isText = !isFence && !isCode && line.trim() !== '' && !line.startsWith('<!--');
    if (isText && continues && !BEGINS_TEXT.test(line)) texts.at(-1)!.text += ` ${line.trim()}`;
    else if (isText) texts.push({ line: at + 1, text: line.replace(BEGINS_TEXT, '$1').trim() });
    continues = isText && !/^\s*[|#]/.test(line);
  }
  return texts.flatMap(({ line, text }) =>
    cellsOf(text).map((each) => ({ line, text: each.replace(/^([-*+>]|#+|\d+\.) +/, ''), isDoc: false })),
  );
}

function cellsOf(text: string): string[] {
  if (!text.startsWith('|')) return [text];
  return text
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '' && !/^:?-+:?$/.test(cell));
}

/** Replaces code and quoted words, which may have any shape. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, '…');
}

function sourceFiles(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(tsx?|mjs|[ch]|md)$/.test(file) && !/(^|\/)(fixtures|golden)\//.test(file))
    .sort();
}
