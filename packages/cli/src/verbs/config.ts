/** `spool config`: checks the user's `config.json`, prints its path, shows which settings apply and why, and changes one. */
import { existsSync } from 'node:fs';
import { configPath, userConfig } from '@spool/client/node';
import { SETTING_KEYS, SETTINGS } from '@spool/protocol/config';
import { formatConfigFault } from '../command-line/config-faults.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

const config: VerbAction<'config'> = async ({ flags, operands }) => {
  switch (operands[0]) {
    case 'path':
      return path(flags.json);
    case 'check':
      return check(flags.json);
    case 'show':
      return show(flags.json);
    case 'set':
    case 'unset':
      return await change(operands, flags.json);
    default:
      throw new UsageError(`unknown action \`config ${operands[0]}\`; use check, path, show, set or unset`, 'config');
  }
};

export default config;

async function change([action, name, ...values]: readonly string[], asJson: boolean): Promise<number> {
  const isSet = action === 'set';
  if (name === undefined || values.length !== (isSet ? 1 : 0))
    throw new UsageError(isSet ? '`config set` needs KEY and one VALUE' : '`config unset` needs KEY', 'config');
  const { changeConfig, settingKey, settingValue } = await import('../command-line/config-change.ts');
  const key = settingKey(name);
  const value = isSet ? settingValue(key, values[0]!) : undefined;
  const file = configPath(process.env);
  const isChanged = changeConfig(file, key, value);
  if (asJson) printJson({ path: file, key, value: value ?? null, isChanged });
  else if (!isChanged) print(`${file} is unchanged.`);
  else print(isSet ? `${key} is ${JSON.stringify(value)} in ${file}.` : `${key} has its default again; see ${file}.`);
  return 0;
}

function path(asJson: boolean): number {
  const file = configPath(process.env);
  if (asJson) printJson({ path: file, exists: existsSync(file) });
  else print(file);
  return 0;
}

function check(asJson: boolean): number {
  const file = configPath(process.env);
  const exists = existsSync(file);
  const { faults } = userConfig(process.env);
  if (asJson) {
    const told = faults.map((fault) => {
      const { key, line, isWarning } = fault;
      return { key, line, level: isWarning ? 'warn' : 'fail', message: formatConfigFault(fault) };
    });
    printJson({ path: file, exists, faults: told });
  } else if (faults.length > 0) for (const fault of faults) print(formatConfigFault(fault));
  else print(exists ? `${file}: no mistakes found.` : `${file} does not exist; the defaults apply.`);
  return faults.some(({ isWarning }) => !isWarning) ? EXIT.failed : 0;
}

function show(asJson: boolean): number {
  const file = configPath(process.env);
  const { settings, lines } = userConfig(process.env);
  const shown = SETTING_KEYS.map((key) => {
    const line = lines.get(key);
    const value = line === undefined ? SETTINGS[key].shownDefault : SETTINGS[key].show(settings[key] as never);
    return { key, value, source: line === undefined ? 'default' : `${file}:${line}` };
  });
  if (asJson) {
    printJson(shown.map(({ key, value, source }) => ({ key, value: JSON.parse(value) as unknown, source })));
    return 0;
  }
  const keyWidth = Math.max(...shown.map(({ key }) => key.length));
  const valueWidth = Math.min(40, Math.max(...shown.map(({ value }) => value.length)));
  for (const { key, value, source } of shown) print(`${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}`);
  return 0;
}
