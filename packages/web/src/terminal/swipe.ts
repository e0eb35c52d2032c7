/**
 * Lets a swipe over the head of a session lead to the next or the previous one; the terminal below keeps its own gestures. Keeps
 * PAGE-31.
 */
import { type RefObject, useEffect } from 'react';
import { inOrder } from '../sessions/order.ts';
import { useSessions } from '../sessions/store.ts';
import { go } from '../shell/route.ts';

const SWIPE_PX = 60;

export function useSwipe(element: RefObject<HTMLElement | null>, id: string): void {
  useEffect(() => {
    const head = element.current;
    if (head === null) return;
    let start: { readonly x: number; readonly y: number } | null = null;
    const onStart = ({ touches }: TouchEvent): void => {
      start = touches.length === 1 ? { x: touches[0]!.clientX, y: touches[0]!.clientY } : null;
    };
    const onEnd = ({ changedTouches }: TouchEvent): void => {
      const end = changedTouches[0];
      if (start === null || end === undefined) return;
      const [dx, dy] = [end.clientX - start.x, end.clientY - start.y];
      if (Math.abs(dx) < SWIPE_PX || Math.abs(dx) < 2 * Math.abs(dy)) return;
      const running = inOrder(useSessions.getState().byId.values()).filter(({ state }) => state === 'running');
      const at = running.findIndex((session) => session.id === id);
      const next = running[at + (dx < 0 ? 1 : -1)];
      if (next !== undefined) go({ page: 'session', id: next.id, view: 'terminal' });
    };
    head.addEventListener('touchstart', onStart, { passive: true });
    head.addEventListener('touchend', onEnd, { passive: true });
    return () => {
      head.removeEventListener('touchstart', onStart);
      head.removeEventListener('touchend', onEnd);
    };
  }, [element, id]);
}
