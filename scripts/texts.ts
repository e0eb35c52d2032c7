/**
 * Lists every sentence that the command line and the MCP server can print, with file and line: `npm run texts`. The list is for a
 * fresh reading before a release. `npm run texts -- --comments [PREFIX…]` lists the unclear sentences of comments and pages.
 *
 * A sentence is a text or a template of at least two words. In the packages with texts for users (cli, mcp) every one counts, in
 * any place. In the packages below them only texts that reach a user count: the arguments of errors, and whole tables of words.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { shapesOf, type UnclearSentence, unclearSentences } from './comments.ts';

const ROOT = resolve(import.meta.dirname, '..');

export interface Text {
  readonly file: string;
  readonly line: number;
  /** The place of the text: `error SESSION_UNKNOWN`, `notice`, `UsageError`, `about`, `description`, … */
  readonly place: string;
  /** The text, with placeholders in braces: `no such session {name}`. */
  readonly text: string;
}

type Scope = 'every text' | 'errors only';

/** The scopes by prefix; longer prefixes win. */
const SCOPES: Readonly<Record<string, Scope>> = {
  'packages/cli/src/': 'every text',
  'packages/mcp/src/': 'every text',
  'packages/protocol/src/errors.ts': 'every text',
  'packages/protocol/src/schemas/': 'every text',
  'packages/protocol/src/request-fault.ts': 'every text',
  'packages/protocol/src/config/': 'every text',
  'packages/keeper/src/notifier.ts': 'every text',
  'packages/keeper/src/notify-channels.ts': 'every text',
  'packages/status/src/': 'every text',
  'packages/protocol/src/': 'errors only',
  'packages/client/src/': 'errors only',
  'packages/keeper/src/': 'errors only',
  'packages/screen/src/': 'errors only',
  'packages/store/src/': 'errors only',
  'packages/gateway/src/': 'errors only',
  'packages/holder/src/': 'errors only',
};

/** Calls whose arguments become part of an error. */
const ERROR_CALLS: ReadonlySet<string> = new Set(['SpoolError', 'UsageError', 'CallError', 'badArgument']);

/** A node of the syntax tree (ESTree). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Returns every sentence of the repository, in order of file and line. */
export function allTexts(): Text[] {
  const files = Object.keys(SCOPES).flatMap((prefix) => (prefix.endsWith('.ts') ? [prefix] : filesIn(prefix)));
  return [...new Set(files)].sort().flatMap((file) => textsIn(file, readFileSync(join(ROOT, file), 'utf8')));
}

/** Returns the texts with a shape that must be read twice. The code in placeholders may have any shape. */
export function unclearTexts(texts: readonly Text[] = allTexts()): UnclearSentence[] {
  return texts.flatMap(({ file, line, text }) =>
    shapesOf(text.replaceAll(/\{[^{}]*\}/g, '{}')).map((shape) => ({ file, line, shape, text, isDoc: false })),
  );
}

export function textsIn(file: string, source: string): Text[] {
  const scope = scopeOf(file);
  const found: Text[] = [];
  const lineOf = (at: number): number => source.slice(0, at).split('\n').length;
  walk(parseSync(file, source).program as unknown as Node, []);
  return found;

  function walk(node: Node, parents: readonly Node[]): void {
    if (node.type === 'ImportDeclaration' || node.type.startsWith('TS')) {
      if (!OPEN_TS.has(node.type)) return; // a type prints nothing
    }
    const text = textOf(node, source);
    if (text !== undefined && isSentence(text) && counts(scope, parents))
      found.push({ file, line: lineOf(node.start), place: placeOf(parents), text });
    for (const child of childrenOf(node)) walk(child, [...parents, node]);
  }
}

/** TypeScript nodes that have values inside. */
const OPEN_TS: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$|fixture/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !/\/testing\//.test(path));
}

function scopeOf(file: string): Scope {
  const [prefix] = Object.keys(SCOPES)
    .filter((each) => file.startsWith(each))
    .sort((a, b) => b.length - a.length);
  return prefix === undefined ? 'errors only' : SCOPES[prefix]!;
}

function counts(scope: Scope, parents: readonly Node[]): boolean {
  return scope === 'every text' || parents.some((node) => ERROR_CALLS.has(calleeOf(node)));
}

function textOf(node: Node, source: string): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node['quasis'] as { readonly value: { readonly cooked: string | null } }[];
  const values = node['expressions'] as Node[];
  return quasis
    .map(({ value }, at) => {
      const inner = values[at];
      return `${value.cooked ?? ''}${inner ? `{${source.slice(inner.start, inner.end).replaceAll(/\s+/g, ' ')}}` : ''}`;
    })
    .join('');
}

/**
 * Returns whether a text has two words, apart from placeholders. Escape sequences, patterns and shell scripts are not sentences.
 */
function isSentence(text: string): boolean {
  const plain = text.replaceAll(/\{[^{}]*\}/g, '{}');
  if (/[\u0000-\u0008\u000b-\u001f]/.test(plain)) return false;
  return /\p{L}{2,}[^\p{L}\n]*\s[^\n]*\p{L}{2,}|\{\} \p{L}{2,}|\p{L}{2,}:? \{\}/u.test(plain);
}

/** Returns the nearest name that shows the purpose of the text. */
function placeOf(parents: readonly Node[]): string {
  for (const node of parents.toReversed()) {
    if (node.type === 'Property') {
      const key = node['key'] as Node;
      const name = key.type === 'Identifier' ? key['name'] : key['value'];
      return /^[A-Z_]{4,}$/.test(String(name)) ? `error ${String(name)}` : String(name);
    }
    const callee = calleeOf(node);
    if (callee !== '' && !PASSED_ON.has(callee)) return callee;
    if (node.type === 'ReturnStatement') return 'return';
  }
  return 'text';
}

/** Calls that only change or join a text. */
const PASSED_ON: ReadonlySet<string> = new Set(['printable', 'join', 'map', 'push', 'String', 'wrapped', 'flatMap']);

function calleeOf(node: Node): string {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return '';
  const callee = node['callee'] as Node;
  if (callee.type === 'Identifier') return String(callee['name']);
  return callee.type === 'MemberExpression' ? String((callee['property'] as Node)['name'] ?? '') : '';
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  let file = '';
  const [option, ...prefixes] = process.argv.slice(2);
  if (option === '--comments') printUnclear(unclearSentences(prefixes.length > 0 ? prefixes : undefined));
  else if (option === '--unclear') printUnclear(unclearTexts());
  else
    for (const text of allTexts()) {
      if (text.file !== file) process.stdout.write(`\n${(file = text.file)}\n`);
      process.stdout.write(
        `  ${String(text.line).padStart(4)}  ${text.place}: ${text.text.replaceAll('\n', '\n        ')}\n`,
      );
    }
}

function printUnclear(sentences: readonly UnclearSentence[]): void {
  for (const { file, line, shape, text } of sentences) process.stdout.write(`${file}:${line}  [${shape}]  ${text}\n`);
}
