/**
 * Reads `config.json`. An invalid value gets its default and a fault in plain words; no function here throws, because a typing
 * error must not prevent a start. Keeps CONF-1.
 */
import { keyLines } from './key-lines.ts';
import { SETTING_KEYS, type SettingKey, SETTINGS, type UserSettings } from './settings.ts';

export const CONFIG_BYTES_MAX = 64 * 1024;

export interface ConfigFault {
  /** The key; empty for the file as a whole. */
  readonly key: string;
  /** The line; null if it is unknown. */
  readonly line: number | null;
  /** The fault: a clause that begins with the key, or with `it` for the file. */
  readonly says: string;
  /** Whether the fault is only a warning: an unknown key, which may be a typing error. */
  readonly isWarning: boolean;
}

export interface Config {
  readonly settings: UserSettings;
  /** The keys that are set, each with its line. */
  readonly lines: ReadonlyMap<SettingKey, number>;
  readonly faults: readonly ConfigFault[];
}

const GROUPS: ReadonlySet<string> = new Set(SETTING_KEYS.flatMap((key) => key.split('.').slice(0, -1)));

export function defaultConfig(faults: readonly ConfigFault[] = []): Config {
  const settings = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].byDefault]));
  return { settings: settings as unknown as UserSettings, lines: new Map(), faults };
}

export function parseConfig(file: string): Config {
  const text = file.replace(/^\uFEFF/, ''); // editors of other systems begin a file with a byte order mark
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const line = Number(/\(line (\d+) column \d+\)/.exec(message)?.[1] ?? NaN);
    const why = message.replace(/ in JSON at position .*$| \(line .*$/, '');
    return defaultConfig([fileFault(`it is not JSON: ${why}`, Number.isNaN(line) ? null : line)]);
  }
  if (!isObject(json)) return defaultConfig([fileFault('it must be one JSON object: { … }', 1)]);
  return read(json, keyLines(text));
}

/** The functions of node:fs that are needed; this package does not depend on Node. */
export interface ConfigFiles {
  statSync(path: string): { readonly size: number; isFile(): boolean };
  readFileSync(path: string, encoding: 'utf8'): string;
}

export function readConfig(path: string, files: ConfigFiles): Config {
  const unreadable = (why: string): Config => defaultConfig([fileFault(`it cannot be read: ${why}`, null)]);
  try {
    const found = files.statSync(path);
    if (!found.isFile()) return unreadable('it is not a file');
    if (found.size > CONFIG_BYTES_MAX) return unreadable(`it has more than ${CONFIG_BYTES_MAX / 1024} KiB`);
    return parseConfig(files.readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return code === 'ENOENT' ? defaultConfig() : unreadable(message); // most users have no such file
  }
}

/** Returns the keys that a user may have meant. */
export function configKeys(key: string): readonly string[] {
  const dot = key.lastIndexOf('.');
  return dot === -1
    ? [...new Set(SETTING_KEYS.map((known) => known.split('.')[0]!))]
    : SETTING_KEYS.filter((known) => known.startsWith(`${key.slice(0, dot)}.`));
}

function read(json: Record<string, unknown>, lineOf: ReadonlyMap<string, number>): Config {
  const faults: ConfigFault[] = [];
  const lines = new Map<SettingKey, number>();
  const settings: Record<string, unknown> = { ...defaultConfig().settings };
  const fault = (key: string, says: string, isWarning = false): void =>
    void faults.push({ key, line: lineOf.get(key) ?? null, says: `${key} ${says}`, isWarning });
  const walk = (object: Record<string, unknown>, prefix: string): void => {
    for (const [name, value] of Object.entries(object)) {
      const key = `${prefix}${name}`;
      if (GROUPS.has(key)) {
        if (isObject(value)) walk(value, `${key}.`);
        else fault(key, 'must be an object: { … }');
      } else if (Object.hasOwn(SETTINGS, key)) {
        const setting = SETTINGS[key as SettingKey];
        const parsed = setting.parse(value);
        if (parsed === undefined) fault(key, setting.wanted);
        else {
          settings[key] = parsed;
          lines.set(key as SettingKey, lineOf.get(key) ?? 0);
        }
      } else fault(key, 'is not a setting', true);
    }
  };
  walk(json, '');
  return { settings: settings as unknown as UserSettings, lines, faults };
}

function fileFault(says: string, line: number | null): ConfigFault {
  return { key: '', line, says, isWarning: false };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
