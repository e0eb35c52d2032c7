/** A session for tests of the status. */
import type { Status } from '@spool/protocol';
import type { FactKind, OscEvent, ProgramStatus } from '@spool/vt';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { StatusReducer } from '../reducer.ts';
import { viewOf } from './views.ts';

/** A reducer with its own clock, which ticks on request. */
export class ReducerFixture {
  readonly reducer: StatusReducer;
  now = 0;
  #offset = 0;

  constructor(command: string, status?: Status) {
    this.reducer = new StatusReducer({
      rules: BUILT_IN_RULES,
      command: command.split(' '),
      startedAt: 0,
      ...(status && { status }),
    });
  }

  wait(ms: number): this {
    const until = this.now + ms;
    for (;;) {
      const { nextCheckAt } = this.reducer;
      if (nextCheckAt === null || nextCheckAt > until) break;
      this.reducer.tick(nextCheckAt);
      if (this.reducer.nextCheckAt === nextCheckAt) throw new Error('a check that asks for itself');
    }
    this.now = until;
    return this;
  }

  shows(text: string, more: Parameters<typeof viewOf>[1] = {}): this {
    this.#offset += 10;
    this.reducer.output(10, this.now, this.#offset);
    this.reducer.screen(viewOf(text, more), this.now, this.#offset);
    return this;
  }

  /** Samples a screen that was there before. */
  looksAt(text: string): this {
    this.reducer.screen(viewOf(text), this.now, this.#offset);
    return this;
  }

  says(...facts: readonly FactKind[]): this {
    for (const fact of facts) {
      this.#offset += 10;
      this.reducer.fact({ ...fact, start: this.#offset - 10, end: this.#offset } as OscEvent, this.now);
    }
    return this;
  }

  reports(status: Partial<ProgramStatus> & { state: ProgramStatus['state'] }): this {
    return this.says({ type: 'status-reported', status: { id: '', ...status } });
  }

  types(): this {
    this.reducer.typed(this.now);
    return this;
  }

  get is(): string {
    const { state, kind } = this.reducer.status;
    return kind === null ? state : `${state} (${kind})`;
  }
}
