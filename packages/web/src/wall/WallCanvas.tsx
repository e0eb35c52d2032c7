/**
 * One canvas for all miniatures of the page, as large as what is in sight. Two hundred terminals would take ten seconds to
 * open; this takes a third of one (measured, LESSONS: 5 nodes instead of 10,524).
 */
import { useEffect, useRef } from 'react';
import { useTheme } from '../shell/theme.ts';
import { GridFeed } from './grid-feed.ts';
import { type Bitmap, paintMiniature } from './miniature.ts';

/** Marks the element in a tile over which its screen is drawn. */
export const SCREEN_OF = 'data-screen-of';

export function WallCanvas() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme((now) => now.theme);
  const redraw = useRef(() => {});

  useEffect(() => {
    const element = canvas.current!;
    const scroller = element.closest<HTMLElement>('.main')!;
    const bitmaps = new Map<string, Bitmap>();
    let isDue = false;
    const draw = (): void => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        if (element.isConnected) drawAll(element, scroller, feed, bitmaps);
      });
    };
    redraw.current = draw;
    const feed = new GridFeed(draw);
    const sight = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          feed.setInSight(target.getAttribute(SCREEN_OF)!, isIntersecting);
        draw();
      },
      { root: scroller, rootMargin: '80px' },
    );
    const observeAll = (): void => {
      sight.disconnect();
      for (const screen of scroller.querySelectorAll(`[${SCREEN_OF}]`)) sight.observe(screen);
      draw();
    };
    const tiles = new MutationObserver(observeAll);
    tiles.observe(scroller, { childList: true, subtree: true });
    const sizes = new ResizeObserver(draw);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', draw, { passive: true });
    observeAll();
    return () => {
      feed.close();
      sight.disconnect();
      tiles.disconnect();
      sizes.disconnect();
      scroller.removeEventListener('scroll', draw);
    };
  }, []);

  useEffect(() => redraw.current(), [theme]);

  return <canvas ref={canvas} className="wall-canvas" aria-hidden="true" />;
}

function drawAll(canvas: HTMLCanvasElement, scroller: HTMLElement, feed: GridFeed, bitmaps: Map<string, Bitmap>): void {
  const scale = devicePixelRatio;
  const frame = scroller.getBoundingClientRect();
  const [width, height] = [Math.round(frame.width * scale), Math.round(frame.height * scale)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${frame.width}px`;
    canvas.style.height = `${frame.height}px`;
  }
  const pen = canvas.getContext('2d')!;
  pen.clearRect(0, 0, width, height);
  const { theme } = useTheme.getState();
  for (const screen of scroller.querySelectorAll<HTMLElement>(`[${SCREEN_OF}]`)) {
    const box = screen.getBoundingClientRect();
    if (box.bottom < frame.top || box.top > frame.bottom) continue;
    const id = screen.getAttribute(SCREEN_OF)!;
    const grid = feed.get(id);
    if (grid === undefined || box.width < 1 || box.height < 1) continue;
    const bitmap = paintMiniature(grid, bitmaps.get(id), { widthPx: Math.round(box.width * scale), theme });
    bitmaps.set(id, bitmap);
    // A tall screen is cut above: what is new is at its end.
    const room = Math.round(box.height * scale);
    const used = Math.min(room, bitmap.canvas.height);
    pen.drawImage(
      bitmap.canvas,
      0,
      Math.max(0, bitmap.endPx - used),
      bitmap.canvas.width,
      used,
      Math.round((box.left - frame.left) * scale),
      Math.round((box.top - frame.top) * scale),
      bitmap.canvas.width,
      used,
    );
  }
}
