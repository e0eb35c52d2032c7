/**
 * The program's reports about itself (OSC 7501): one record for the program, and one for each of its parts.
 *
 * The program's own record counts. A blocked part makes the whole blocked, since a user has to act all the same; where
 * there are only parts, one that works makes the whole work.
 */
import type { ProgramStatus } from '@spool/vt';
import type { StatusState } from '@spool/protocol';
import { type Claim, claim, type Moment } from '../claim.ts';

export const RECORDS_MAX = 64;
const CONFIDENCE = 0.99;

export class ProgramRecords {
  readonly #records = new Map<string, { readonly report: ProgramStatus; readonly moment: Moment }>();
  #claim: Claim | null = null;

  get claim(): Claim | null {
    return this.#claim;
  }

  report(report: ProgramStatus, moment: Moment): void {
    if (report.state === 'clear') {
      for (const id of [...this.#records.keys()]) if (isWithin(id, report.id)) this.#records.delete(id);
    } else {
      this.#records.delete(report.id);
      if (this.#records.size >= RECORDS_MAX) this.#records.delete(this.#records.keys().next().value!);
      this.#records.set(report.id, { report, moment });
    }
    this.#decide();
  }

  /** The shell shows its prompt: whatever reported work or a question has ended without reporting that. */
  dropUnfinished(): void {
    for (const [id, { report }] of [...this.#records])
      if (report.state === 'working' || report.state === 'blocked') this.#records.delete(id);
    this.#decide();
  }

  /** The reporting program is gone. */
  forget(): void {
    this.#records.clear();
    this.#claim = null;
  }

  /** As it was before a restart. */
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

function claimOf({ state, kind, percent, app, title, message }: ProgramStatus, moment: Moment): Claim {
  const [says, meant] = MEANING[state];
  return claim('program', says, CONFIDENCE, `${app || 'the program'} reports "${state}"`, moment, {
    kind: kind ?? meant,
    activity: says === 'idle' ? null : message || title || null,
    progress: percent ?? null,
  });
}

/**
 * `error` is idle: the work has stopped and the next input can be typed. Nothing is being asked, so it is not blocked;
 * the kind distinguishes it from success.
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
