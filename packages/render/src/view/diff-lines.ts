/** Shows a change of a file as coloured lines: `+` and `-`, with the lines around them. */
import type { Diff } from '@spool/protocol/agent';
import { say, visible, visibleTitle } from '@spool/protocol/visible-text';
import { type Line, type SpanStyle, span } from '../lines.ts';
import { pieces } from '../markdown/markdown.ts';
import { folded } from './fold.ts';

const PATH_CHARACTERS_MAX = 300;
const FOLDED_LINES = 12;
const LINES_MAX = 2000;
const FAINT: SpanStyle = { dim: true };

export function diffLines(diff: Diff, width: number, isFull: boolean, phase?: string): Line[] {
  const marked = markedLines(diff);
  const added = marked.filter((line) => line.startsWith('+')).length;
  const removed = marked.filter((line) => line.startsWith('-')).length;
  const to = diff.movedTo === undefined ? say`` : say` → ${visibleTitle(diff.movedTo, PATH_CHARACTERS_MAX)}`;
  const head: Line = [
    span(say`  ${WORDS[diff.change]} ${visibleTitle(diff.path, PATH_CHARACTERS_MAX)}${to}`),
    ...(added > 0 ? [span(say` +${added}`, { tone: 'added' })] : []),
    ...(removed > 0 ? [span(say` -${removed}`, { tone: 'removed' })] : []),
    ...(phase === undefined || phase === 'applied' ? [] : [span(say` (${visible(phase)})`, FAINT)]),
  ];
  const room = Math.max(4, width - 4);
  const body = marked.slice(0, LINES_MAX).flatMap((line): Line[] => {
    const look: SpanStyle = line.startsWith('+')
      ? { tone: 'added' }
      : line.startsWith('-')
        ? { tone: 'removed' }
        : FAINT;
    return pieces(visible(line.replaceAll('\t', '    ')), room).map((piece) => [span('    '), span(piece, look)]);
  });
  return [head, ...(isFull ? body : folded(body, FOLDED_LINES, 0, say`    `))];
}

const WORDS = { add: say`new`, modify: say`edit`, delete: say`delete`, move: say`move` };

/** Returns the lines of a change, which begin with `+`, `-`, a space or `@@`. */
function markedLines({ hunks, unified, oldText, newText, change }: Diff): string[] {
  if (hunks !== undefined && hunks.length > 0)
    return hunks.flatMap(({ oldStart, newStart, lines }, at) => [
      ...(at === 0 && oldStart <= 1 ? [] : [`@@ ${oldStart} → ${newStart}`]),
      ...lines,
    ]);
  if (unified !== undefined && unified !== '') return unifiedLines(unified);
  const before = linesOf(oldText ?? '');
  const after = linesOf(newText ?? '');
  if (change === 'delete') return before.map((line) => `-${line}`);
  return changedLines(before, after);
}

/** Returns the lines without the header of each file. */
function unifiedLines(text: string): string[] {
  return linesOf(text).filter(
    (line) => !/^(?:diff --git|index |--- |\+\+\+ |new file|deleted file|\\ No newline)/.test(line),
  );
}

/** Returns the changed lines, with one of the equal lines at each end. */
function changedLines(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const context = (line: string | undefined): string[] => (line === undefined ? [] : [` ${line}`]);
  return [
    ...context(before[start - 1]),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...context(end > 0 ? after.at(-end) : undefined),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
