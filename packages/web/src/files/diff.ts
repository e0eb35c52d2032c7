/** A unified diff as files and lines. What it does not understand is shown as it is. */

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'place' | 'same';
  readonly text: string;
}

export interface DiffFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

const LINES_MAX = 5_000;

export function filesOf(diff: string): readonly DiffFile[] {
  const files: { path: string; lines: DiffLine[] }[] = [];
  let isHead = false;
  for (const text of diff.split('\n').slice(0, LINES_MAX)) {
    if (text.startsWith('diff --git ')) {
      files.push({ path: / b\/(.*)$/.exec(text)?.[1] ?? text, lines: [] });
      isHead = true;
      continue;
    }
    const file = files.at(-1);
    if (file === undefined) continue;
    if (text.startsWith('@@')) isHead = false;
    if (isHead && /^(index|---|\+\+\+|similarity) /.test(text)) continue;
    file.lines.push({ kind: isHead ? 'place' : kindOf(text), text });
  }
  for (const { lines } of files) if (lines.at(-1)?.text === '') lines.pop();
  return files;
}

function kindOf(text: string): DiffLine['kind'] {
  if (text.startsWith('@@')) return 'place';
  if (text.startsWith('+')) return 'added';
  return text.startsWith('-') ? 'removed' : 'same';
}
