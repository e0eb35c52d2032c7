/** The verbs that concern this machine, whatever the host: for another machine they are refused with this reason. Keeps REM-6. */
import { UsageError } from '../command-line/usage-error.ts';
import type { Host } from './host.ts';

/** The objects that these verbs read or change, as the end of a sentence. */
export const ABOUT_HERE: Readonly<Record<string, string>> = {
  daemon: 'starts, stops and restarts the daemon of this machine',
  doctor: 'checks this machine',
  install: 'changes your account on this machine',
  uninstall: 'changes your account on this machine',
  service: 'is about the services of this machine',
  node: 'manages the nodes of this machine',
  web: 'controls the gateway of this machine',
};

/** The exceptions, which work for another machine too. */
const ALSO_AFAR: ReadonlySet<string> = new Set(['daemon status']);

export function checkAfar(verb: string, operands: readonly string[], host: Host): void {
  const about = Object.hasOwn(ABOUT_HERE, verb) ? ABOUT_HERE[verb] : undefined;
  if (about === undefined || ALSO_AFAR.has(`${verb} ${operands[0]}`)) return;
  throw new UsageError(
    `\`${verb}\` ${about}, but ${host.from} leads to ${host.url ?? `the node ${host.node}`}; use: spool --context local ${[verb, ...operands].join(' ')}`,
  );
}

/** The verbs that need no daemon, so no host is looked up for them. */
export const NO_HOST: ReadonlySet<string> = new Set([
  'context',
  'config',
  'completions',
  'driver',
  'policy',
  'shell-integration',
  'skill',
  'version',
]);
