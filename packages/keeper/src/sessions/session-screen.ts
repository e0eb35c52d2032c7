/** The screen of a session: the screen thread follows its log, and answers questions about it. */
import { SpoolError } from '@spool/protocol';
import type { AnswerTo, ScreenAsk, ScreenSource } from '../screens/messages.ts';
import type { Screens } from '../screens/screens.ts';
import { troubleOf } from './folder-trouble.ts';
import type { SessionFile } from './session-file.ts';

export class SessionScreen {
  readonly #file: SessionFile;
  readonly #screens: Screens;

  constructor(file: SessionFile, screens: Screens) {
    this.#file = file;
    this.#screens = screens;
  }

  /** Starts to follow, before the first byte is stored: the child may have ended by then. */
  follow(isAdopted: boolean, answeredTo: number): void {
    const { id, colours } = this.#file.record.run;
    this.#screens.follow(this.#source(isAdopted), this.#file.log.end, answeredTo);
    if (colours) this.#screens.colours(id, colours);
  }

  ask<Ask extends ScreenAsk>(what: Ask, left?: AbortSignal): Promise<AnswerTo<Ask>> {
    const source = this.#source();
    if (!source.firstSize && what.type !== 'explain' && what.type !== 'look')
      return Promise.reject(new SpoolError('NOT_A_TERMINAL', { session: this.#file.record.name }));
    return this.#screens.ask(source, this.#file.log.end, what, left).catch((error: unknown) => {
      if (!SpoolError.is(error, 'LOG_UNREADABLE')) throw error;
      const reason = troubleOf(`${this.#file.folder}/log`, String(error.details['reason']));
      throw new SpoolError('LOG_UNREADABLE', { session: this.#file.record.name, reason });
    });
  }

  #source(isAdopted = false): ScreenSource {
    const { startedAt, pid, run } = this.#file.record;
    const { id, size: firstSize = null, command } = run;
    return { id, folder: this.#file.folder, firstSize, pid, command, startedAt, isAdopted };
  }
}
