/** Renders a table in a given width: cells wrap; if there is no room for columns, each row becomes a list of its cells. */
import { say, type VisibleText } from '@spool/protocol/visible-text';
import { type Line, lineWidth, plainText, repeated, span, under } from '../lines.ts';
import { wrap } from '../wrap.ts';
import type { Align, Block } from './blocks.ts';
import { inline } from './inline.ts';

type Table = Extract<Block, { readonly type: 'table' }>;

const COLUMN_CELLS_MIN = 6;
const GAP = ' │ ';
const FAINT = { dim: true } as const;

export function tableLines({ rows, aligns }: Table, width: number): Line[] {
  const cells = rows.map((row, at) => row.map((cell) => inline(cell, at === 0 ? { bold: true } : {})));
  const natural = aligns.map((_, column) => Math.max(1, ...cells.map((row) => lineWidth(row[column]!))));
  const room = width - GAP.length * (aligns.length - 1);
  if (room < COLUMN_CELLS_MIN * aligns.length && total(natural) > room) return asList(cells, width);
  const widths = fitted(natural, room);
  const lines = cells.flatMap((row) => rowLines(row, widths, aligns));
  const rule = widths.map((cells) => repeated('─', cells)).join('─┼─') as VisibleText;
  const head = rowLines(cells[0]!, widths, aligns).length;
  return [...lines.slice(0, head), [span(rule, FAINT)], ...lines.slice(head)];
}

/** Fits the columns into the room: the widest ones shrink first. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = total(widths) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_CELLS_MIN) break;
    const next = Math.max(COLUMN_CELLS_MIN, ...widths.filter((cells) => cells < widest));
    const columns = widths.filter((cells) => cells === widest).length;
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess / columns)));
    for (const [at, cells] of widths.entries()) {
      if (cells !== widest || excess <= 0) continue;
      widths[at] = cells - step;
      excess -= step;
    }
  }
  return widths;
}

function rowLines(row: readonly Line[], widths: readonly number[], aligns: readonly Align[]): Line[] {
  const columns = row.map((cell, at) => wrap(cell, widths[at]!));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns.flatMap((lines, at) => {
      const padded = aligned(lines[line] ?? [], widths[at]!, aligns[at]!, at === columns.length - 1);
      return at === 0 ? padded : [span(GAP, FAINT), ...padded];
    }),
  );
}

function aligned(line: Line, width: number, align: Align, isLast: boolean): Line {
  const free = Math.max(0, width - lineWidth(line));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [
    ...(before > 0 ? [span(repeated(' ', before))] : []),
    ...line,
    ...(after > 0 ? [span(repeated(' ', after))] : []),
  ];
}

function asList([head = [], ...rows]: readonly (readonly Line[])[], width: number): Line[] {
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [[]]),
    ...row.flatMap((cell, column) => {
      const title = plainText(head[column] ?? []);
      return wrap([span(say`${title}: `, { bold: true }), ...under({}, cell)], width, { rest: [span('  ')] });
    }),
  ]);
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
