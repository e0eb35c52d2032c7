/** Describes the faults of `config.json` in whole sentences, with the setting that was probably meant. */
import { configKeys, type ConfigFault, type SettingKey, SETTINGS } from '@spool/protocol/config';
import { nearest } from './suggestion.ts';
import { faultSentence } from './user-settings.ts';

export function formatConfigFault(fault: ConfigFault): string {
  const sentence = faultSentence(fault);
  if (!fault.isWarning) return `${sentence}; ${consequence(fault.key)}`;
  const meant = nearest(lastWord(fault.key), configKeys(fault.key).map(lastWord));
  return `${sentence}; ${meant === undefined ? 'it is ignored' : `did you mean ${JSON.stringify(meant)}?`}`;
}

const lastWord = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

function consequence(key: string): string {
  if (key === '') return 'all defaults apply, and no ended session is removed';
  if (key.startsWith('keepEnded')) return 'no ended session is removed until this is fixed';
  return Object.hasOwn(SETTINGS, key)
    ? `the default applies: ${SETTINGS[key as SettingKey].shownDefault}`
    : 'the defaults apply';
}
