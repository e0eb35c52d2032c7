/** Reads the repository's own TypeScript, for the tests about the sources: the files, and their syntax. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync } from 'rolldown/utils';

export const ROOT = resolve(import.meta.dirname, '../..');

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'dist', 'fixtures']);

/** A node of the syntax tree (ESTree), known only by its type. */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Returns every TypeScript file under a folder, as paths from the root. */
export function typeScriptFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').some((part) => SKIPPED_FOLDERS.has(part)))
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns all nodes of a source, parents before children. With JSX, `<T>` before an arrow function has another meaning. */
export function syntaxNodes(source: string, path = 'source.ts'): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  addNodes(parseSync(path, source).program, nodes);
  return nodes;
}

/** Returns the statements of a source at its top level. */
export function statementsOf(source: string, path = 'source.ts'): SyntaxNode[] {
  const body: readonly unknown[] = parseSync(path, source).program.body;
  return body.filter(isNode);
}

function addNodes(value: unknown, nodes: SyntaxNode[]): void {
  if (Array.isArray(value)) {
    for (const item of value) addNodes(item, nodes);
  } else if (isNode(value)) {
    nodes.push(value);
    for (const key in value) if (typeof value[key] === 'object') addNodes(value[key], nodes);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
