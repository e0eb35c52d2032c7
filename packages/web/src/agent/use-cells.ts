/** Returns how many characters of the log's font fit side by side. */
import { type RefObject, useEffect, useState } from 'react';

const CELLS_MIN = 20;
/** The maximum: longer lines are hard to read. */
const CELLS_MAX = 110;
const PROBE = '0'.repeat(100);

export function useCells(box: RefObject<HTMLElement | null>): number {
  const [cells, setCells] = useState(80);
  useEffect(() => {
    const element = box.current!;
    const measure = (): void => {
      const style = getComputedStyle(element);
      const pen = document.createElement('canvas').getContext('2d')!;
      pen.font = `${style.fontSize} ${style.fontFamily}`;
      const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      const fitting = Math.floor((room * PROBE.length) / pen.measureText(PROBE).width);
      setCells(Math.max(CELLS_MIN, Math.min(CELLS_MAX, fitting)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [box]);
  return cells;
}
