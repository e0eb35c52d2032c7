/**
 * The program's reports about itself (OSC 7501): one record for the program, and one for each of its parts.
 *
 * The record of the program itself counts. A blocked part makes the whole blocked, since a user has to act in any case; if there
 * are only parts, a working one makes the whole work.
 */
import type { ProgramStatus } from '@spool/vt';
import type { StatusState } from '@spool/protocol';
import { type Claim, claim, type LogMoment } from '../claim.ts';

const RECORDS_MAX = 64;
const CONFIDENCE = 0.99;

export class ProgramRecords {
  readonly #records = new Map<string, { readonly report: ProgramStatus; readonly moment: LogMoment }>();
  #claim: Claim | null = null;

  get claim(): Claim | null {
    return this.#claim;
  }

  report(report: ProgramStatus, moment: LogMoment): void {
    if (report.state === 'clear') {
      for (const id of [...this.#records.keys()]) if (isWithin(id, report.id)) this.#records.delete(id);
    } else {
      this.#records.delete(report.id);
      if (this.#records.size >= RECORDS_MAX) this.#records.delete(this.#records.keys().next().value!);
      this.#records.set(report.id, { report, moment });
    }
    this.#decide();
  }

  /**
   * Drops unfinished reports: the shell shows its prompt, so a program that reported work or a question has ended without a report.
   */
  dropUnfinished(): void {
    for (const [id, { report }] of [...this.#records])
      if (report.state === 'working' || report.state === 'blocked') this.#records.delete(id);
    this.#decide();
  }

  /** Forgets the reports, because the reporting program has ended. */
  forget(): void {
    this.#records.clear();
    this.#claim = null;
  }

  /** Restores the claim from before a restart. */
  restore(restored: Claim): void {
    this.#claim = restored;
  }

  #decide(): void {
    const records = [...this.#records.values()];
    const decisive =
      records.findLast(({ report }) => report.state === 'blocked') ??
      this.#records.get('') ??
      records.findLast(({ report }) => report.state === 'working') ??
      records.at(-1);
    this.#claim = decisive === undefined ? null : claimOf(decisive.report, decisive.moment);
  }
}

function claimOf({ state, kind, percent, app, title, message }: ProgramStatus, moment: LogMoment): Claim {
  const [says, meant] = MEANING[state];
  return claim('program', says, CONFIDENCE, `${app || 'the program'} reports "${state}"`, moment, {
    kind: kind ?? meant,
    activity: says === 'idle' ? null : message || title || null,
    progress: percent ?? null,
  });
}

/**
 * The meaning of reported states. `error` is idle: the work has stopped and the next input can be typed. The program asks
 * nothing, so it is not blocked; the kind distinguishes it from success.
 */
const MEANING: Readonly<Record<ProgramStatus['state'], readonly [StatusState, string | null]>> = {
  working: ['working', null],
  blocked: ['blocked', null],
  idle: ['idle', 'prompt'],
  done: ['idle', 'done'],
  error: ['idle', 'error'],
  clear: ['idle', null],
};

const isWithin = (id: string, root: string): boolean => root === '' || id === root || id.startsWith(`${root}/`);
