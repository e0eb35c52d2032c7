/** A unified diff as files and lines. A line that it cannot parse is shown unchanged. */

interface DiffLine {
  readonly kind: 'added' | 'removed' | 'place' | 'same';
  readonly text: string;
  /** The number of the line before and after the change; absent if there is none. */
  readonly before?: number;
  readonly after?: number;
}

export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

const LINES_MAX = 5_000;

export function splitDiff(diff: string): readonly DiffFile[] {
  const files: { path: string; lines: DiffLine[] }[] = [];
  let isHead = false;
  let [before, after] = [0, 0];
  for (const text of diff.split('\n').slice(0, LINES_MAX)) {
    if (text.startsWith('diff --git ')) {
      files.push({ path: / b\/(.*)$/.exec(text)?.[1] ?? text, lines: [] });
      isHead = true;
      continue;
    }
    const file = files.at(-1);
    if (file === undefined) continue;
    if (text.startsWith('@@')) {
      isHead = false;
      const [, first, second] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? [];
      [before, after] = [Number(first ?? 1), Number(second ?? 1)];
    }
    if (isHead && /^(index|---|\+\+\+|similarity) /.test(text)) continue;
    const kind = isHead || text.startsWith('\\') ? 'place' : kindOf(text);
    file.lines.push({
      kind,
      text,
      ...((kind === 'removed' || kind === 'same') && { before: before++ }),
      ...((kind === 'added' || kind === 'same') && { after: after++ }),
    });
  }
  for (const { lines } of files) if (lines.at(-1)?.text === '') lines.pop();
  return files;
}

function kindOf(text: string): DiffLine['kind'] {
  if (text.startsWith('@@')) return 'place';
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'same';
}

/** Returns the paths of a diff and of new files, sorted, each once. */
export function changedPaths(
  diff: string,
  untracked: readonly string[],
): readonly {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
  readonly isCommitted: false;
}[] {
  const changed = splitDiff(diff).map(({ path, lines }) => {
    const isDeleted = lines.some(({ kind, text }) => kind === 'place' && text.startsWith('deleted file'));
    return { path, change: isDeleted ? ('deleted' as const) : ('modified' as const), isCommitted: false as const };
  });
  const added = untracked.map((path) => ({ path, change: 'added' as const, isCommitted: false as const }));
  return [...changed, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the number of added and removed lines of a file. */
export function countsOf({ lines }: DiffFile): { readonly added: number; readonly removed: number } {
  return {
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
  };
}
