/** Runs the keeper's reader of rules, milestones, cases and agents as a separate process, because no daemon may be running. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Home } from '@spool/client/node';
import type { CheckedConfig } from '@spool/protocol';
import type { ProgramLocation } from '../program.ts';

/** An agent may take five seconds to print its version. */
const CHECK_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 16 * 1024 ** 2;

export async function checkedConfig(
  { isBundled, folder: dist }: ProgramLocation,
  { config, sessions }: Home,
  more: readonly 'agents'[] = [],
): Promise<CheckedConfig> {
  const entry = isBundled ? `${dist}/check-config.mjs` : `${dist}/../../keeper/src/check-config.ts`;
  const { stdout } = await promisify(execFile)(process.execPath, [entry, config, sessions, ...more], {
    timeout: CHECK_MS_MAX,
    maxBuffer: ANSWER_BYTES_MAX,
  });
  return JSON.parse(stdout) as CheckedConfig;
}
