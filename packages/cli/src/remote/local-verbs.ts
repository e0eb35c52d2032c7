/** Verbs that are about this machine, whatever the host: from afar they say so instead of surprising. Keeps REM-6. */
import { UsageError } from '../command-line/usage-error.ts';
import type { Host } from './host.ts';

/** What these verbs look at or change, as the end of a sentence. */
export const ABOUT_HERE: Readonly<Record<string, string>> = {
  daemon: 'starts, stops and restarts the daemon of this machine',
  doctor: 'checks this machine',
  web: 'controls the gateway of this machine',
};

/** Works from afar all the same. */
const ALSO_AFAR: ReadonlySet<string> = new Set(['daemon status']);

export function checkAfar(verb: string, operands: readonly string[], host: Host): void {
  const about = Object.hasOwn(ABOUT_HERE, verb) ? ABOUT_HERE[verb] : undefined;
  if (about === undefined || ALSO_AFAR.has(`${verb} ${operands[0]}`)) return;
  throw new UsageError(
    `\`${verb}\` ${about}, but ${host.from} leads to ${host.url}; use: spool --context local ${[verb, ...operands].join(' ')}`,
  );
}

/** These need no daemon at all, so no host is looked up for them. */
export const NO_HOST: ReadonlySet<string> = new Set([
  'context',
  'config',
  'completions',
  'driver',
  'shell-integration',
  'skill',
  'version',
]);
