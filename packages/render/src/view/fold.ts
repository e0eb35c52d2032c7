/** Long texts, folded: the beginning and the end, and how much is between them. */
import { type Line, span } from '../lines.ts';

const FAINT = { dim: true } as const;

/** Not folded if that would hide a single line. */
export function folded(lines: readonly Line[], head: number, tail: number, indent = ''): Line[] {
  if (lines.length <= head + tail + 1) return [...lines];
  const hidden = lines.length - head - tail;
  return [
    ...lines.slice(0, head),
    [span(`${indent}… ${hidden} more lines`, FAINT)],
    ...(tail === 0 ? [] : lines.slice(-tail)),
  ];
}
