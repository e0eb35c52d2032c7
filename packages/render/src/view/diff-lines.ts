/** Shows a change of a file as coloured lines: `+` and `-`, with the lines around them. */
import type { Diff } from '@spool/protocol/agent';
import { say, visible, visibleTitle } from '@spool/protocol/visible-text';
import { type Line, type SpanStyle, span } from '../lines.ts';
import { changeRows } from '../parts/change-rows.ts';
import { pieces } from '../markdown/markdown.ts';
import { folded } from './fold.ts';

const PATH_CHARACTERS_MAX = 300;
const FOLDED_LINES = 12;
const LINES_MAX = 2000;
const FAINT: SpanStyle = { dim: true };

export function diffLines(diff: Diff, width: number, isFull: boolean, phase?: string): Line[] {
  const rows = changeRows(diff);
  const added = rows.filter(({ mark }) => mark === '+').length;
  const removed = rows.filter(({ mark }) => mark === '-').length;
  const to = diff.movedTo === undefined ? say`` : say` → ${visibleTitle(diff.movedTo, PATH_CHARACTERS_MAX)}`;
  const head: Line = [
    span(say`  ${WORDS[diff.change]} ${visibleTitle(diff.path, PATH_CHARACTERS_MAX)}${to}`),
    ...(added > 0 ? [span(say` +${added}`, { tone: 'added' })] : []),
    ...(removed > 0 ? [span(say` -${removed}`, { tone: 'removed' })] : []),
    ...(phase === undefined || phase === 'applied' ? [] : [span(say` (${visible(phase)})`, FAINT)]),
  ];
  const room = Math.max(4, width - 4);
  const body = rows.slice(0, LINES_MAX).flatMap(({ mark, text }): Line[] => {
    const look: SpanStyle = mark === '+' ? { tone: 'added' } : mark === '-' ? { tone: 'removed' } : FAINT;
    const line = mark === '@' ? text : mark + text;
    return pieces(visible(line.replaceAll('\t', '    ')), room).map((piece) => [span('    '), span(piece, look)]);
  });
  return [head, ...(isFull ? body : folded(body, FOLDED_LINES, 0, say`    `))];
}

const WORDS = { add: say`new`, modify: say`edit`, delete: say`delete`, move: say`move` };
