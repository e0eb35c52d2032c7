/**
 * One canvas for all miniatures of the page, as large as its visible part. Two hundred terminals would take ten seconds to open;
 * this takes a third of one (measured: 5 nodes instead of 10,524). Keeps PAGE-9.
 */
import { useEffect, useRef } from 'react';
import { useTheme } from '../shell/theme.ts';
import { WallActivity } from './activity.ts';
import { GridFeed } from './grid-feed.ts';
import { type Bitmap, paintMiniature } from './miniature.ts';
import { noteOffset } from './unread.ts';

/** Marks the element in a tile over which its screen is drawn. */
export const SCREEN_OF = 'data-screen-of';
/** Marks the element for its sparkline. */
export const SPARK_OF = 'data-spark-of';

/** The interval of drawing without changes: sparklines advance with time. */
const IDLE_DRAW_MS = 2_000;

export function WallCanvas() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme((now) => now.theme);
  const redraw = useRef(() => {});

  useEffect(() => {
    const element = canvas.current!;
    const scroller = element.closest<HTMLElement>('.main')!;
    const bitmaps = new Map<string, Bitmap>();
    const activity = new WallActivity();
    const inSight = new Set<HTMLElement>();
    let isDue = false;
    const draw = (): void => {
      if (isDue || document.hidden) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        if (element.isConnected && drawAll(element, scroller, { feed, bitmaps, activity, inSight })) markDrawn();
      });
    };
    redraw.current = draw;
    const feed = new GridFeed((changed) => {
      for (const { id, offset } of changed) {
        activity.note(id, offset, Date.now());
        noteOffset(id, offset);
      }
      draw();
    });
    const sight = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inSight.add(target as HTMLElement);
          else inSight.delete(target as HTMLElement);
          feed.setInSight(target.getAttribute(SCREEN_OF)!, isIntersecting);
        }
        draw();
      },
      { root: scroller, rootMargin: '80px' },
    );
    const observed = new Set<Element>();
    const observeAll = (): void => {
      const screens = new Set(scroller.querySelectorAll(`[${SCREEN_OF}]`));
      for (const screen of observed) {
        if (screens.has(screen)) continue;
        sight.unobserve(screen);
        observed.delete(screen);
        inSight.delete(screen as HTMLElement);
        feed.setInSight(screen.getAttribute(SCREEN_OF)!, false);
      }
      for (const screen of screens) {
        if (observed.has(screen)) continue;
        observed.add(screen);
        sight.observe(screen);
      }
      draw();
    };
    const tiles = new MutationObserver(observeAll);
    tiles.observe(scroller, { childList: true, subtree: true });
    const sizes = new ResizeObserver(draw);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', draw, { passive: true });
    document.addEventListener('visibilitychange', draw);
    const timer = setInterval(draw, IDLE_DRAW_MS);
    observeAll();
    return () => {
      clearInterval(timer);
      feed.close();
      sight.disconnect();
      tiles.disconnect();
      sizes.disconnect();
      scroller.removeEventListener('scroll', draw);
      document.removeEventListener('visibilitychange', draw);
    };
  }, []);

  useEffect(() => redraw.current(), [theme]);

  return <canvas ref={canvas} className="wall-canvas" aria-hidden="true" />;
}

/** Marks the moment at which the whole wall was drawn, for measurements. */
function markDrawn(): void {
  if (performance.getEntriesByName('wall-drawn').length === 0) performance.mark('wall-drawn');
}

interface WallDrawing {
  readonly feed: GridFeed;
  readonly bitmaps: Map<string, Bitmap>;
  readonly activity: WallActivity;
  /** The elements of the visible screens: measuring all 200 of a wall would lay out invisible ones. */
  readonly inSight: ReadonlySet<HTMLElement>;
}

/** Returns whether every visible tile was drawn. */
function drawAll(canvas: HTMLCanvasElement, scroller: HTMLElement, drawing: WallDrawing): boolean {
  const { feed, bitmaps, activity, inSight } = drawing;
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
  let [drawn, missing] = [0, 0];
  for (const screen of inSight) {
    const box = screen.getBoundingClientRect();
    if (box.bottom < frame.top || box.top > frame.bottom) continue;
    const id = screen.getAttribute(SCREEN_OF)!;
    const grid = feed.get(id);
    if (grid === undefined) missing++;
    if (grid === undefined || box.width < 1 || box.height < 1) continue;
    drawn++;
    const bitmap = paintMiniature(grid, bitmaps.get(id), { widthPx: Math.round(box.width * scale), theme });
    bitmaps.set(id, bitmap);
    // A tall screen is cut at the top, because new output is at its end.
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
  pen.fillStyle = getComputedStyle(scroller).getPropertyValue('--working');
  const now = Date.now();
  for (const screen of inSight) {
    const bars = activity.bars(screen.getAttribute(SCREEN_OF)!, now);
    const spark = screen.parentElement!.querySelector(`[${SPARK_OF}]`);
    if (bars === null || spark === null) continue;
    const box = spark.getBoundingClientRect();
    if (box.bottom < frame.top || box.top > frame.bottom) continue;
    const step = (box.width / bars.length) * scale;
    for (const [index, share] of bars.entries()) {
      const high = Math.max(share > 0 ? scale : 0, share * box.height * scale);
      pen.fillRect(
        (box.left - frame.left) * scale + index * step,
        (box.bottom - frame.top) * scale - high,
        Math.max(1, step - scale),
        high,
      );
    }
  }
  return drawn > 0 && missing === 0;
}
