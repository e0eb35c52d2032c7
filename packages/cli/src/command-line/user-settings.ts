/**
 * The settings of the user's `config.json` that the command line uses. What is wrong with one of them is said, and its default
 * applies. Keeps CONF-3.
 */
import { configPath, userConfig } from '@spool/client/node';
import type { ConfigFault, Settings } from '@spool/protocol/config';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';

/** The others are the daemon's, which says in its log what is wrong with them. */
const OURS: ReadonlySet<string> = new Set(['', 'detachKeys', 'sizePolicy', 'history', 'retain', 'env']);

export function userSettings({ isQuiet }: { readonly isQuiet: boolean }): Settings {
  const { settings, faults } = userConfig(process.env);
  if (!isQuiet)
    for (const fault of faults)
      if (OURS.has(fault.key) && !fault.isWarning) notice(`spool: ${faultSentence(fault)}; the default applies`);
  return settings;
}

export function faultSentence({ line, says }: ConfigFault): string {
  return `${configPath(process.env)}${line === null ? '' : `:${line}`}: ${printable(says)}`;
}
