/**
 * Tests the names of types: an exported name means one thing in the whole repository, and a type is named by a noun. A reader who
 * searches for a name then finds one declaration, and knows from the name which one it is.
 */
import { expect, test } from 'vitest';
import { isNode, read, statementsOf, typeScriptFiles } from './support/sources.ts';

interface TypeDeclaration {
  readonly name: string;
  readonly isExported: boolean;
  readonly file: string;
}

const FOLDERS = ['packages', 'tests', 'scripts', 'examples'];

/** Code that only tests and measurements load. */
const TEST_CODE = /\.test\.tsx?$|\/(?:bench|test|testing)\/|^packages\/testkit\//;

const DECLARING: ReadonlySet<string> = new Set([
  'ClassDeclaration',
  'TSEnumDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
]);

/**
 * Matches one word that ends like a participle, or is an irregular one. Together with a noun it is allowed: `PendingRequest`,
 * `SeenText`.
 */
const PARTICIPLE =
  /^(?:[A-Z][a-z]+(?:ed|ing)|Begun|Broken|Built|Done|Drawn|Found|Given|Gone|Held|Kept|Known|Lost|Made|Meant|Ran|Said|Seen|Sent|Shown|Spoken|Taken|Told|Typed|Written)$/;

/** Words of that shape that are nouns. */
const NOUNS: ReadonlySet<string> = new Set(['Feed', 'Finding', 'Listing', 'Reading', 'Recording', 'Setting']);

/** Names in the SDK since 0.1.0: a rename would break the imports of callers. */
const PUBLIC: ReadonlySet<string> = new Set(['Decided', 'Listed', 'Prompted', 'Waited']);

/** Names that are unclear without their file, and were declared in up to eleven files each. */
const VAGUE: ReadonlySet<string> = new Set(['Ask', 'Choice', 'Desk', 'Entry', 'Look', 'Match', 'Of', 'Place', 'Wish']);

const declarations: readonly TypeDeclaration[] = FOLDERS.flatMap(typeScriptFiles).flatMap((file) =>
  declaredTypes(read(file), file),
);

function declaredTypes(source: string, file: string): TypeDeclaration[] {
  return statementsOf(source, file).flatMap((statement) => {
    const isExported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const declaration = isExported ? statement['declaration'] : statement;
    if (!isNode(declaration) || !DECLARING.has(declaration.type)) return [];
    const { id } = declaration;
    return isNode(id) && typeof id['name'] === 'string' ? [{ name: id['name'], isExported, file }] : [];
  });
}

/** Returns the names that product code exports and declares again, even inside a file. */
function secondMeanings(types: readonly TypeDeclaration[]): string[] {
  const isProduct = (file: string): boolean => file.startsWith('packages/') && !TEST_CODE.test(file);
  return [...Map.groupBy(types, ({ name }) => name)].flatMap(([name, places]) => {
    const exported = places.filter(({ isExported }) => isExported);
    const inProduct = places.filter(({ file }) => isProduct(file));
    const clashing = inProduct.some(({ isExported }) => isExported) ? new Set([...exported, ...inProduct]) : exported;
    return [...clashing].length > 1 ? [`${name}: ${[...clashing].map(({ file }) => file).join(', ')}`] : [];
  });
}

function poorNames(types: readonly TypeDeclaration[]): string[] {
  return types
    .filter(({ name }) => VAGUE.has(name) || (PARTICIPLE.test(name) && !NOUNS.has(name) && !PUBLIC.has(name)))
    .map(({ name, file }) => `${name}: ${file}`);
}

test('the repository has types, and these rules see them', () => {
  expect(declarations.length).toBeGreaterThan(1000);
  const twice = ['packages/a/src/a.ts', 'tests/b.ts'].flatMap((file) =>
    declaredTypes('export interface Route {}', file),
  );
  expect(secondMeanings(twice)).toEqual(['Route: packages/a/src/a.ts, tests/b.ts']);
  const inside = (file: string): TypeDeclaration[] => [
    ...declaredTypes('export interface Route {}', 'packages/a/src/a.ts'),
    ...declaredTypes('interface Route {}', file),
  ];
  expect(secondMeanings(inside('packages/b/src/b.ts'))).toEqual(['Route: packages/a/src/a.ts, packages/b/src/b.ts']);
  expect(secondMeanings(inside('packages/b/src/b.test.ts'))).toEqual([]);
  const poor = declaredTypes(
    'export type Asked = 1; enum Told {} interface Reading {} class PendingRequest {}',
    'a.ts',
  );
  expect(poorNames(poor)).toEqual(['Asked: a.ts', 'Told: a.ts']);
});

test('no exported type has the name of another', () => {
  expect(secondMeanings(declarations)).toEqual([]);
});

test('a type is named by a noun that says what it is', () => {
  expect(poorNames(declarations)).toEqual([]);
});
