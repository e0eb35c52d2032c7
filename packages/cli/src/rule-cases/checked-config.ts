/** Runs the keeper's reader of rules, milestones and cases as its own process, because no daemon may be running. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Home } from '@spool/client/node';
import type { ProgramLocation } from '../program.ts';

export interface CheckedConfig {
  readonly rules: number;
  readonly milestones: number;
  readonly faults: readonly string[];
  readonly cases: readonly CaseReport[];
  readonly withoutRecord: readonly string[];
}

/** A saved screen, and the reading of the present rules. */
export interface CaseReport {
  readonly file: string;
  /** Whether the reading is right; null for a file that is not a case. */
  readonly isRight: boolean | null;
  readonly should: string | null;
  readonly reads: string | null;
  readonly rule: string | null;
  readonly source: string | null;
  readonly why: string;
  readonly note: string;
}

const CHECK_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 16 * 1024 ** 2;

export async function checkedConfig(
  { isBundled, folder: dist }: ProgramLocation,
  { config, sessions }: Home,
): Promise<CheckedConfig> {
  const entry = isBundled ? `${dist}/check-config.mjs` : `${dist}/../../keeper/src/check-config.ts`;
  const { stdout } = await promisify(execFile)(process.execPath, [entry, config, sessions], {
    timeout: CHECK_MS_MAX,
    maxBuffer: ANSWER_BYTES_MAX,
  });
  return JSON.parse(stdout) as CheckedConfig;
}
