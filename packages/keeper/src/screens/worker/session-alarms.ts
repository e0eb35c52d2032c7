/** One timer for the alarms of all sessions. */
import { steadyNow } from '../steady-clock.ts';
import { alarmDelay } from './alarm-delay.ts';

export class SessionAlarms {
  readonly #onDue: (ids: Iterable<string>, now: number) => void;
  readonly #dueTimes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(onDue: (ids: Iterable<string>, now: number) => void) {
    this.#onDue = onDue;
  }

  /**
   * Sets the alarm of a session. The timer is moved only for a sooner alarm. An alarm that has become later is found when the timer
   * fires, so all sessions are checked only then, and not with every output.
   */
  set(id: string, due: number): void {
    this.#dueTimes.set(id, due);
    if (due < this.#timerAt) this.#setTimer(due);
  }

  clear(id: string): void {
    this.#dueTimes.delete(id);
  }

  #setTimer(next: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = next;
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#ring(), alarmDelay(next, steadyNow()));
  }

  #ring(): void {
    this.#timerAt = Infinity;
    const now = steadyNow();
    this.#onDue(this.#dueBy(now), now);
    let next = Infinity;
    for (const due of this.#dueTimes.values()) next = Math.min(next, due);
    this.#setTimer(next);
  }

  *#dueBy(now: number): Iterable<string> {
    for (const [id, due] of this.#dueTimes) if (due <= now) yield id;
  }
}
