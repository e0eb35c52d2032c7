/**
 * How long ended sessions are kept, as set in `config.json`:
 *
 *     { "keepEnded": { "age": "30d", "count": 1000 } }
 *
 * An invalid setting keeps everything: a typing error must not delete history. Keeps that part of LOG-8.
 */
import * as files from 'node:fs';
import { defaultConfig, readConfig } from '@spool/protocol/config';

export interface KeepEnded {
  /** Older sessions are removed; null: no limit by age. */
  readonly ageMs: number | null;
  /** Beyond this number, the oldest are removed; null: no limit by number. */
  readonly count: number | null;
}

export interface KeepCheck {
  readonly keep: KeepEnded;
  /** What is wrong with the setting, in a sentence; null when it is valid. */
  readonly fault: string | null;
}

const { settings: DEFAULTS } = defaultConfig();
export const KEEP_DEFAULT: KeepEnded = { ageMs: DEFAULTS['keepEnded.age'], count: DEFAULTS['keepEnded.count'] };
const KEEP_ALL: KeepEnded = { ageMs: null, count: null };

export function readKeepEnded(configFile: string): KeepCheck {
  const { settings, faults } = readConfig(configFile, files);
  // An unknown key counts too: it may be the one that was meant to keep more.
  const fault = faults.find(({ key }) => key === '' || key === 'keepEnded' || key.startsWith('keepEnded.'));
  if (fault)
    return { keep: KEEP_ALL, fault: `${configFile}: ${fault.says}; until this is fixed, no ended session is removed` };
  return { keep: { ageMs: settings['keepEnded.age'], count: settings['keepEnded.count'] }, fault: null };
}
