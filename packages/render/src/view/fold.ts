/** Folds long texts: shows the beginning, the end, and the number of lines between them. */
import { say, type VisibleText } from '@spool/protocol/visible-text';
import { type Line, span } from '../lines.ts';

const FAINT = { dim: true } as const;

/** Folds lines, but not if that would hide a single one. */
export function folded(lines: readonly Line[], head: number, tail: number, indent: VisibleText = say``): Line[] {
  if (lines.length <= head + tail + 1) return [...lines];
  const hidden = lines.length - head - tail;
  return [
    ...lines.slice(0, head),
    [span(say`${indent}… ${hidden} more lines`, FAINT)],
    ...(tail === 0 ? [] : lines.slice(-tail)),
  ];
}
