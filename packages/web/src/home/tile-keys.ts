/** Lets arrow keys (and h j k l) move over the wall, whatever the number of columns. */
import { useEffect } from 'react';

const STEPS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowRight: [1, 0],
  l: [1, 0],
  ArrowLeft: [-1, 0],
  h: [-1, 0],
  ArrowDown: [0, 1],
  j: [0, 1],
  ArrowUp: [0, -1],
  k: [0, -1],
};

export function useTileKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      const isInField = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog');
      if (isInField) return;
      const tiles = [...document.querySelectorAll<HTMLElement>('a.tile')];
      const current = tiles.find((tile) => tile === document.activeElement);
      const next = current === undefined ? tiles[0] : nearest(current, tiles, step);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Returns the closest tile in that direction; the distance to the side counts double. */
function nearest(
  from: HTMLElement,
  tiles: readonly HTMLElement[],
  [dx, dy]: readonly [number, number],
): HTMLElement | undefined {
  const centre = (tile: HTMLElement): readonly [number, number] => {
    const box = tile.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = centre(from);
  let best: { readonly tile: HTMLElement; readonly far: number } | undefined;
  for (const tile of tiles) {
    const [left, top] = centre(tile);
    const ahead = (left - x) * dx + (top - y) * dy;
    const aside = Math.abs((left - x) * dy) + Math.abs((top - y) * dx);
    if (ahead < 2) continue;
    const far = ahead + 2 * aside;
    if (best === undefined || far < best.far) best = { tile, far };
  }
  return best?.tile;
}
