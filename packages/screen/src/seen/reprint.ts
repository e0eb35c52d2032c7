/**
 * Decides whether a program has erased its screen only to print the same lines again.
 *
 * Some agents erase the whole history and print their transcript again when the window changes, or at every step. A monitor erases
 * its table and prints it with other numbers. In both cases the earlier version is dropped. Lines that a user erases with `clear`
 * do not come back, so they are kept.
 */
import { isBlank, type SeenItem } from './seen-item.ts';

/** The part of the earlier lines that must appear again. */
const SHARE_MIN = 0.5;

export function isReprint(old: readonly SeenItem[], next: readonly SeenItem[]): boolean {
  const wanted = shapesOf(old);
  if (wanted.size === 0) return true;
  const there = shapesOf(next);
  let found = 0;
  for (const shape of wanted) if (there.has(shape)) found++;
  return found >= wanted.size * SHARE_MIN;
}

function shapesOf(items: readonly SeenItem[]): ReadonlySet<string> {
  const shapes = new Set<string>();
  for (const item of items) if (item.type === 'line' && !isBlank(item.text)) shapes.add(shapeOf(item.text));
  return shapes;
}

/** Returns a line without its numbers and spaces, which change. */
const shapeOf = (text: string): string => text.replaceAll(/[\d\s]+/g, '').slice(0, SHAPE_CHARACTERS) || '0';
const SHAPE_CHARACTERS = 200;
