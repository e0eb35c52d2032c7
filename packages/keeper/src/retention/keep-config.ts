/**
 * Reads from `config.json` how long ended sessions are kept:
 *
 *     { "keepEnded": { "age": "30d", "count": 1000 } }
 *
 * An invalid setting keeps all sessions: a typing error must not delete history. Keeps a part of LOG-8, its last sentence: an
 * invalid setting removes no session.
 */
import * as files from 'node:fs';
import { defaultConfig, readConfig } from '@spool/protocol/config';

export interface KeepEnded {
  /** The maximum age; older sessions are removed; null means no limit. */
  readonly ageMs: number | null;
  /** The maximum number; beyond it, the oldest are removed; null means no limit. */
  readonly count: number | null;
}

export interface KeepCheck {
  readonly keep: KeepEnded;
  /** The fault of the setting, in a sentence; null if it is valid. */
  readonly fault: string | null;
}

const { settings: DEFAULTS } = defaultConfig();
export const KEEP_DEFAULT: KeepEnded = { ageMs: DEFAULTS['keepEnded.age'], count: DEFAULTS['keepEnded.count'] };
const KEEP_ALL: KeepEnded = { ageMs: null, count: null };

export function readKeepEnded(configFile: string): KeepCheck {
  const { settings, faults } = readConfig(configFile, files);
  // An unknown key counts as a fault too, because it may have been intended to keep more.
  const fault = faults.find(({ key }) => key === '' || key === 'keepEnded' || key.startsWith('keepEnded.'));
  if (fault)
    return { keep: KEEP_ALL, fault: `${configFile}: ${fault.says}; until this is fixed, no ended session is removed` };
  return { keep: { ageMs: settings['keepEnded.age'], count: settings['keepEnded.count'] }, fault: null };
}
