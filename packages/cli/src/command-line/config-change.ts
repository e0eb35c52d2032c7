/**
 * Changes one setting in the user's `config.json`, and nothing else in it. A value that cannot be used is refused, and so is a file
 * that cannot be read, because it would lose its content. Keeps CONF-40.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CONFIG_BYTES_MAX, parseConfig, SETTING_KEYS, type SettingKey, SETTINGS } from '@spool/protocol/config';
import { nearest } from './suggestion.ts';
import { UsageError } from './usage-error.ts';

type ConfigObject = Record<string, unknown>;

/** Returns the key with this name. Throws if there is none. */
export function settingKey(name: string): SettingKey {
  const found = SETTING_KEYS.find((key) => key === name);
  if (found !== undefined) return found;
  const meant = nearest(name, SETTING_KEYS);
  const hint = meant === undefined ? '`spool config show` lists them' : `did you mean ${meant}?`;
  throw new UsageError(`there is no setting ${JSON.stringify(name)}; ${hint}`, 'config');
}

/** Returns the value of a text: JSON, or else the text itself. Throws if the setting cannot have it. */
export function settingValue(key: SettingKey, text: string): unknown {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // plain words need no quotes
  }
  if (SETTINGS[key].parse(value) !== undefined) return value;
  // `90` may be meant as a text
  if (SETTINGS[key].parse(text) !== undefined) return text;
  throw new UsageError(`${key} ${SETTINGS[key].wanted}`, 'config');
}

/** Writes the file with this setting; undefined removes it. Returns whether the file has changed. */
export function changeConfig(path: string, key: SettingKey, value: unknown): boolean {
  const { file, text } = readWhole(path);
  const config = text === null ? {} : objectOf(path, text);
  const groups = key.split('.');
  const last = groups.pop()!;
  let inner: ConfigObject = config;
  for (const group of groups) {
    const found = inner[group];
    if (found === undefined && value === undefined) return false;
    if (found !== undefined && !isObject(found))
      throw new UsageError(`${JSON.stringify(group)} in ${path} is not an object; correct it first`, 'config');
    inner = (inner[group] ??= {}) as ConfigObject;
  }
  if (value === undefined) delete inner[last];
  else inner[last] = value;
  const changed = `${JSON.stringify(config, null, 2)}\n`;
  if (Buffer.byteLength(changed) > CONFIG_BYTES_MAX)
    throw new UsageError(`${path} would have more than ${CONFIG_BYTES_MAX / 1024} KiB`, 'config');
  if (changed === text || (text === null && value === undefined)) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, changed, { mode: modeOf(file) });
  renameSync(`${file}.${process.pid}`, file);
  return true;
}

/** Returns the content; null if there is no file. The file may be a link to another place, and remains a link. */
function readWhole(path: string): { readonly file: string; readonly text: string | null } {
  try {
    const file = realpathSync(path);
    return { file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { file: path, text: null };
    throw new UsageError(`${path} cannot be read: ${message}`, 'config');
  }
}

function objectOf(path: string, text: string): ConfigObject {
  const fault = parseConfig(text).faults.find(({ key }) => key === '');
  if (fault) throw new UsageError(`${path}: ${fault.says}; correct it first`, 'config');
  return JSON.parse(text.replace(/^\uFEFF/, '')) as ConfigObject;
}

const isObject = (value: unknown): value is ConfigObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const modeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
