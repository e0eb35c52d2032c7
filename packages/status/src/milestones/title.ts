/**
 * Builds the title of a milestone from the groups of its pattern: `{passed} passed[, {skipped} skipped] in {time}`.
 *
 * `{name}` is a group; `{count|package|packages}` is a number with its noun; a part in brackets appears only if all its
 * groups matched. A title is one line of at most TITLE_CHARACTERS_MAX characters.
 */

export type Groups = Readonly<Record<string, string | undefined>>;

export interface Title {
  /** The names of the groups that the title uses. */
  readonly groups: ReadonlySet<string>;
  fill(groups: Groups): string;
}

export const TITLE_CHARACTERS_MAX = 200;

const OPTIONAL = /\[([^\]]*)\]/g;
const PLACE = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

export function readTitle(source: string): Title {
  return {
    groups: new Set([...source.matchAll(PLACE)].map(([, name]) => name!)),
    fill: (groups) => {
      const text = source.replace(OPTIONAL, (_, part: string) => (isCaught(part, groups) ? part : ''));
      return shortened(
        text.replace(PLACE, (_, name: string, one?: string, many?: string) => {
          const value = groups[name]?.trim() ?? '';
          return one === undefined ? value : `${value} ${Number(value) === 1 ? one : many}`;
        }),
      );
    },
  };
}

function isCaught(part: string, groups: Groups): boolean {
  return [...part.matchAll(PLACE)].every(([, name]) => groups[name!]);
}

function shortened(text: string): string {
  if (text.length <= TITLE_CHARACTERS_MAX) return text;
  // A surrogate pair is never split.
  return `${text.slice(0, TITLE_CHARACTERS_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
