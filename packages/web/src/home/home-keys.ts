/**
 * Lets keys move over the front page. `j` and `k` move through the questions, then the tiles; arrow keys (and h j k l) move over
 * the tiles, whatever the number of columns. Keeps PAGE-71.
 */
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

export function useHomeKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = STEPS[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null) return;
      // An arrow key scrolls the box that has the focus.
      const isLetter = event.key.length === 1;
      if (!isLetter && target instanceof HTMLElement && target.closest('.subject') !== null) return;
      const next = nextOf(step);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function nextOf(step: readonly [dx: number, dy: number]): HTMLElement | undefined {
  const cards = [...document.querySelectorAll<HTMLElement>('.inbox .ask')];
  const tiles = [...document.querySelectorAll<HTMLElement>('a.tile')];
  const active = document.activeElement;
  const card = cards.findIndex((each) => each.contains(active));
  if (card !== -1) {
    const [dx, dy] = step;
    return cards[card + dx + dy] ?? (dx + dy > 0 ? tiles[0] : undefined);
  }
  const tile = tiles.find((each) => each === active);
  if (tile === undefined) return cards[0] ?? tiles[0];
  return nearest(tile, tiles, step) ?? (step[1] < 0 ? cards.at(-1) : undefined);
}

/** Returns the closest tile in that direction; a sideways distance counts double. */
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
