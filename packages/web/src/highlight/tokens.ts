/** Flattens the tree of the highlighter to tokens: each text gets the innermost kind that this page has a colour for. */
import type { CodeToken } from './highlight.ts';

export interface TokenNode {
  readonly scope?: string;
  readonly children: readonly (TokenNode | string)[];
}

/** The kinds that have a colour; others look like the text around them. */
const SCOPES: ReadonlySet<string> = new Set([
  'keyword',
  'built_in',
  'type',
  'literal',
  'number',
  'string',
  'regexp',
  'comment',
  'title',
  'attr',
  'attribute',
  'variable',
  'meta',
  'tag',
  'name',
  'symbol',
  'addition',
  'deletion',
  'section',
]);

export function tokensOf(node: TokenNode, around = ''): readonly CodeToken[] {
  const own = node.scope?.split('.')[0] ?? '';
  const scope = SCOPES.has(own) ? own : around;
  return node.children.flatMap((child) =>
    typeof child === 'string' ? [{ scope, text: child }] : tokensOf(child, scope),
  );
}
