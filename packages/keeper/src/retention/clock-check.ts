/**
 * Decides whether the wall clock can be trusted for deletion by age. A clock that was briefly set years ahead (a dead battery, a
 * mistake, a restored snapshot) must not make all output thirty days old at once. Keeps LOG-9.
 *
 * Within one boot, wall clock and uptime advance together; if they diverge by more than an hour, the clock was set. Across a reboot
 * only a leap of half a year is suspicious: a machine may have been off for a holiday. After either, no output is deleted by age
 * until a day of uptime has passed without another leap.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const LEAP_MS = HOUR_MS;
const OFF_MS_MAX = 180 * DAY_MS;
const DISTRUST_MS = DAY_MS;

/** The kernel's clocks. */
export interface Clocks {
  readonly wallMs: number;
  /** The time since the boot, including the time that the machine slept. */
  readonly uptimeMs: number;
  readonly bootId: string;
}

/** The clocks at the last check; kept in a file. */
export interface ClockRecord extends Clocks {
  /** The time for which the clock must still run steadily before it is trusted again. */
  readonly distrustMs: number;
}

/** Returns the new record, and whether the wall clock can be trusted. */
export function checkClock(
  before: ClockRecord | null,
  now: Clocks,
): { readonly record: ClockRecord; readonly isTrusted: boolean } {
  const distrustMs = before === null ? 0 : distrustOf(before, now); // the first check has nothing to compare with
  return { record: { ...now, distrustMs }, isTrusted: distrustMs === 0 };
}

function distrustOf(before: ClockRecord, now: Clocks): number {
  const wallMs = now.wallMs - before.wallMs;
  // A container may have its own uptime, which restarts without a boot.
  const isSameBoot = before.bootId === now.bootId && now.uptimeMs >= before.uptimeMs;
  const passedMs = isSameBoot ? now.uptimeMs - before.uptimeMs : now.uptimeMs;
  const hasLeapt = isSameBoot ? Math.abs(wallMs - passedMs) > LEAP_MS : wallMs > OFF_MS_MAX;
  return hasLeapt ? DISTRUST_MS : Math.max(0, before.distrustMs - passedMs);
}

export class ClockCheck {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Checks the clock, and records the result. */
  isTrusted(): boolean {
    const { record, isTrusted } = checkClock(this.#read(), clocks());
    try {
      writeFileSync(`${this.#file}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
      renameSync(`${this.#file}.tmp`, this.#file);
    } catch {
      // The disk is full: the next check compares with an older record.
    }
    return isTrusted;
  }

  #read(): ClockRecord | null {
    try {
      const record = JSON.parse(readFileSync(this.#file, 'utf8')) as ClockRecord;
      const { wallMs, uptimeMs, distrustMs, bootId } = record;
      return [wallMs, uptimeMs, distrustMs].every(Number.isFinite) && typeof bootId === 'string' ? record : null;
    } catch {
      return null; // the file does not exist yet, or is damaged
    }
  }
}

function clocks(): Clocks {
  let bootId = '';
  try {
    bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // no /proc: then every check counts as one of the same boot
  }
  return { wallMs: Date.now(), uptimeMs: uptime() * 1000, bootId };
}
