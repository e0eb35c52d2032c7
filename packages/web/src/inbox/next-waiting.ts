/** Leads to the next session that waits for the user, from anywhere on the page. Keeps PAGE-71. */
import { inOrder } from '../sessions/order.ts';
import { useSessions } from '../sessions/store.ts';
import { go, routeOf } from '../shell/route.ts';
import { conditionOf } from '../state/condition.ts';

/** The session whose question gets the focus when it is shown. */
let wished: string | null = null;

/** Focuses the next card on the front page; elsewhere opens the next session that waits, with the focus on its question. */
export function goToNextWaiting(): void {
  const route = routeOf(location.hash);
  const cards = [...document.querySelectorAll<HTMLElement>('.inbox .ask')];
  if (route.page === 'home' && cards.length > 0) {
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    const next = cards[(at + 1) % cards.length]!;
    next.focus();
    return next.scrollIntoView({ block: 'nearest' });
  }
  const waiting = inOrder(useSessions.getState().byId.values()).filter((session) => conditionOf(session) === 'waits');
  const at = waiting.findIndex(({ id }) => route.page === 'session' && id === route.id);
  const next = waiting[(at + 1) % waiting.length];
  if (next === undefined) return;
  if (route.page === 'session' && next.id === route.id) return document.querySelector<HTMLElement>('.ask')?.focus();
  wished = next.id;
  go({ page: 'session', id: next.id, view: 'terminal' });
}

/** Returns once whether the question of this session gets the focus. */
export function takeFocusWish(id: string): boolean {
  const isWished = wished === id;
  if (isWished) wished = null;
  return isWished;
}
