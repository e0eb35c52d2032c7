/** The rows of a change of a file, for every view: the kind of each line, its text and its numbers. */
import type { Diff } from '@spool/protocol/agent';

export interface ChangeRow {
  /** `+` added, `-` removed, a space unchanged, `@` the head of a part. */
  readonly mark: '+' | '-' | ' ' | '@';
  /** The text without its mark. */
  readonly text: string;
  /** The number of the line before and after the change, if it is known. */
  readonly oldLine?: number;
  readonly newLine?: number;
}

/** Returns the rows of a change: of its parts, of its unified form, or of the two texts. */
export function changeRows({ hunks, unified, oldText, newText, change }: Diff): readonly ChangeRow[] {
  if (hunks !== undefined && hunks.length > 0)
    return hunks.flatMap(({ oldStart, newStart, lines }, at) => [
      ...(at === 0 && oldStart <= 1 ? [] : [{ mark: '@' as const, text: `@@ ${oldStart} → ${newStart}` }]),
      ...numbered(lines, oldStart, newStart),
    ]);
  if (unified !== undefined && unified !== '') return unifiedRows(unified);
  const before = linesOf(oldText ?? '');
  const after = linesOf(newText ?? '');
  if (change === 'delete') return before.map((text, at) => ({ mark: '-', text, oldLine: at + 1 }));
  return changedRows(before, after);
}

const HEAD = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

/** Returns the rows without the header of each file. */
function unifiedRows(text: string): readonly ChangeRow[] {
  const lines = linesOf(text).filter(
    (line) => !/^(?:diff --git|index |--- |\+\+\+ |new file|deleted file|\\ No newline)/.test(line),
  );
  const rows: ChangeRow[] = [];
  let part: string[] = [];
  let [oldStart, newStart]: [number | undefined, number | undefined] = [undefined, undefined];
  const close = (): void => {
    rows.push(...numbered(part, oldStart, newStart));
    part = [];
  };
  for (const line of lines) {
    const head = HEAD.exec(line);
    if (!line.startsWith('@@')) part.push(line);
    else {
      close();
      rows.push({ mark: '@', text: line });
      [oldStart, newStart] = head ? [Number(head[1]), Number(head[2])] : [undefined, undefined];
    }
  }
  close();
  return rows;
}

/** Numbers lines that begin with their sign; without a start they have no numbers. */
function numbered(lines: readonly string[], oldStart?: number, newStart?: number): readonly ChangeRow[] {
  let [before, after] = [oldStart, newStart];
  return lines.map((line): ChangeRow => {
    const sign = line.charAt(0);
    const mark = sign === '+' || sign === '-' ? sign : ' ';
    const text = mark === ' ' && sign !== ' ' ? line : line.slice(1);
    const row: ChangeRow = {
      mark,
      text,
      ...(mark !== '+' && before !== undefined && { oldLine: before }),
      ...(mark !== '-' && after !== undefined && { newLine: after }),
    };
    if (mark !== '+' && before !== undefined) before++;
    if (mark !== '-' && after !== undefined) after++;
    return row;
  });
}

/** Returns the changed lines, with one of the equal lines at each end. */
function changedRows(before: readonly string[], after: readonly string[]): readonly ChangeRow[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const context = (line: string | undefined, oldLine: number, newLine: number): ChangeRow[] =>
    line === undefined ? [] : [{ mark: ' ', text: line, oldLine, newLine }];
  return [
    ...context(before[start - 1], start, start),
    ...before
      .slice(start, before.length - end)
      .map((text, at): ChangeRow => ({ mark: '-', text, oldLine: start + at + 1 })),
    ...after
      .slice(start, after.length - end)
      .map((text, at): ChangeRow => ({ mark: '+', text, newLine: start + at + 1 })),
    ...context(end > 0 ? after.at(-end) : undefined, before.length - end + 1, after.length - end + 1),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
