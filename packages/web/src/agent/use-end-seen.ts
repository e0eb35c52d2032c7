/** Detects whether the last line of a scrolling box has been in view, and how many lines are below its edge. Keeps PAGE-54. */
import { type RefObject, useEffect, useState } from 'react';

/** The tolerance for fractions of a pixel at other scales. */
const NEAR_PX = 2;
/** The share of the last line that must be in view to count as read. */
const SEEN_RATIO = 0.9;

export interface EndSeen {
  /** The number of lines below the edge of the box. */
  readonly below: number;
  /** Whether the last line has been in view; once true, it stays true. */
  readonly isSeen: boolean;
}

/** `lines` is the number of elements `.line` in the box; a box without any does not count as seen. */
export function useEndSeen(box: RefObject<HTMLElement | null>, lines: number): EndSeen {
  const [below, setBelow] = useState(0);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    const all = [...(element?.querySelectorAll('.line') ?? [])];
    const last = all.at(-1);
    if (!element || !last) return undefined;
    const count = (): void => {
      const end = element.getBoundingClientRect().bottom + NEAR_PX;
      setBelow(all.filter((line) => line.getBoundingClientRect().bottom > end).length);
    };
    const resizes = new ResizeObserver(count);
    resizes.observe(element);
    element.addEventListener('scroll', count, { passive: true });
    // The observer includes everything that clips the line: the box, the page, the window.
    const views = new IntersectionObserver(
      (entries) => entries.some(({ intersectionRatio }) => intersectionRatio >= SEEN_RATIO) && setSeen(true),
      { threshold: SEEN_RATIO },
    );
    views.observe(last);
    count();
    return () => {
      resizes.disconnect();
      views.disconnect();
      element.removeEventListener('scroll', count);
    };
  }, [box, lines]);
  return { below, isSeen };
}
