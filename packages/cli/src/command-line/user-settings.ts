/**
 * The settings of the user's `config.json` that the command line uses. A fault in one of them is reported, and its default
 * applies. Keeps CONF-3.
 */
import { configPath, userConfig } from '@spool/client/node';
import type { ConfigFault, UserSettings } from '@spool/protocol/config';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';

/** The keys that the command line uses. The daemon uses the others, and reports their faults in its log. */
const OURS: ReadonlySet<string> = new Set(['', 'detachKeys', 'sizePolicy', 'history', 'retain', 'env']);

export function userSettings({ isQuiet }: { readonly isQuiet: boolean }): UserSettings {
  const { settings, faults } = userConfig(process.env);
  if (!isQuiet)
    for (const fault of faults)
      if (OURS.has(fault.key) && !fault.isWarning) notice(`spool: ${faultSentence(fault)}; the default applies`);
  return settings;
}

export function faultSentence({ line, says }: ConfigFault): string {
  return `${configPath(process.env)}${line === null ? '' : `:${line}`}: ${printable(says)}`;
}
