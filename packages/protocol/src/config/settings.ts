/**
 * Every setting of `config.json`: its default, and its valid values. The daemon, the command line, `spool config` and `spool
 * doctor` read it from this table.
 */
import type { SizePolicy } from '../messages.ts';
import { parseQuietHours, type QuietHours } from './quiet-hours.ts';

export type NotifyAbout = 'blocked' | 'exit' | 'failure' | 'health' | 'command';

export interface UserSettings {
  /** The detach keys, as for --detach-keys; null means Ctrl-\. */
  readonly detachKeys: string | null;
  readonly sizePolicy: SizePolicy;
  /** The number of lines above the screen that `attach` shows. */
  readonly history: number;
  /** The bytes of output that are kept of each session; null means the daemon's default. */
  readonly retain: number | null;
  /** Whether an agent in a terminal gets a side channel, if that is known to work. */
  readonly sideChannel: boolean;
  /** The names and patterns of variables that sessions get besides the allow-list. */
  readonly env: readonly string[];
  /** The time after which an idle session counts as stalled; null means never. */
  readonly stalledAfter: number | null;
  /** The time that programs have to end before they are killed. */
  readonly grace: number;
  readonly 'keepEnded.age': number | null;
  readonly 'keepEnded.count': number | null;
  readonly 'notify.on': readonly NotifyAbout[];
  readonly 'notify.desktop': boolean;
  readonly 'notify.command': readonly string[] | null;
  readonly 'notify.webhook': string | null;
  /** The address of a topic of an ntfy server. */
  readonly 'notify.ntfy': string | null;
  /** Whether a webhook and ntfy get links that answer the question: any reader of the message can use them. */
  readonly 'notify.actions': boolean;
  /** Whether messages over the network contain more than the name of the session and its question. */
  readonly 'notify.details': boolean;
  /** The origins to which web push messages may be sent, besides those of browser vendors. */
  readonly 'notify.pushServices': readonly string[];
  readonly 'notify.quietHours': readonly QuietHours[];
}

export type SettingKey = keyof UserSettings;

interface Setting<T> {
  readonly byDefault: T;
  /** The default, in the form of the file. */
  readonly shownDefault: string;
  /** The text `must be …`, for an invalid value. */
  readonly wanted: string;
  /** Returns undefined for an invalid value. */
  parse(value: unknown): T | undefined;
}

interface ShownSetting<T> extends Setting<T> {
  /** Returns the value in the form of the file. */
  show(value: T): string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UNIT_MS = { s: 1000, m: 60_000, h: 60 * 60_000, d: DAY_MS, w: 7 * DAY_MS } as const;
const BYTE_UNITS = { '': 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 } as const;
const POLICIES: readonly unknown[] = ['latest', 'smallest', 'largest', 'fixed'] satisfies SizePolicy[];
const ABOUTS: readonly NotifyAbout[] = ['blocked', 'exit', 'failure', 'health', 'command'];
/** The maximum of lines, as for the flag `--history`. */
const HISTORY_LINES_MAX = 20_000;
const ENV_MAX = 200;

const TABLE: { readonly [K in SettingKey]: Setting<UserSettings[K]> & { show?(value: UserSettings[K]): string } } = {
  detachKeys: {
    byDefault: null,
    shownDefault: '"C-\\\\"',
    wanted: 'must be keys like "C-q" or "C-p,C-q" that begin with Ctrl, or "none"',
    parse: (value) => (typeof value === 'string' && DETACH_KEYS.test(value) ? value : undefined),
  },
  sizePolicy: {
    byDefault: 'latest',
    shownDefault: '"latest"',
    wanted: 'must be "latest", "smallest", "largest" or "fixed"',
    parse: (value) => (POLICIES.includes(value) ? (value as SizePolicy) : undefined),
  },
  history: {
    byDefault: 0,
    shownDefault: '0',
    wanted: `must be a number of lines from 0 to ${HISTORY_LINES_MAX}`,
    parse: (value) => (isWhole(value) && value <= HISTORY_LINES_MAX ? value : undefined),
  },
  retain: {
    byDefault: null,
    shownDefault: 'null',
    wanted: 'must be a size like "64M" or "1G", or null for the default of 256 MiB',
    parse: (value) => (value === null ? null : bytesOf(value)),
    show: (value) => JSON.stringify(value === null ? null : shortest(value, BYTE_UNITS)),
  },
  sideChannel: {
    byDefault: true,
    shownDefault: 'true',
    wanted: 'must be true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  env: {
    byDefault: [],
    shownDefault: '[]',
    wanted: 'must be a list of names of environment variables, such as "GITHUB_TOKEN" or "AWS_*"',
    parse: (value) => (isStrings(value) && value.length <= ENV_MAX && value.every(isPattern) ? value : undefined),
  },
  stalledAfter: {
    byDefault: 10 * UNIT_MS.m,
    shownDefault: '"10m"',
    wanted: 'must be a time like "90s" or "10m", or null for never',
    parse: (value) => (value === null ? null : ageOf(value)),
    show: (value) => JSON.stringify(value === null ? null : shortest(value, UNIT_MS)),
  },
  grace: {
    byDefault: 5 * UNIT_MS.s,
    shownDefault: '"5s"',
    wanted: 'must be a time like "5s" or "1m", at most an hour',
    parse: (value) => {
      const ms = ageOf(value);
      return ms === undefined || ms > UNIT_MS.h ? undefined : ms;
    },
    show: (value) => JSON.stringify(shortest(value, UNIT_MS)),
  },
  'keepEnded.age': {
    byDefault: 30 * DAY_MS,
    shownDefault: '"30d"',
    wanted: 'must be an age like "12h", "30d" or "8w", or null for no limit',
    parse: (value) => (value === null ? null : ageOf(value)),
    show: (value) => JSON.stringify(value === null ? null : shortest(value, UNIT_MS)),
  },
  'keepEnded.count': {
    byDefault: null,
    shownDefault: 'null',
    wanted: 'must be a whole number, or null for no limit',
    parse: (value) => (value === null || isWhole(value) ? value : undefined),
  },
  'notify.on': {
    byDefault: ABOUTS,
    shownDefault: '["blocked", "exit", "failure", "health", "command"]',
    wanted: 'must be a list of "blocked", "exit", "failure", "health" and "command"',
    parse: (value) =>
      isStrings(value) && value.every((word) => (ABOUTS as readonly string[]).includes(word))
        ? (value as NotifyAbout[])
        : undefined,
  },
  'notify.desktop': {
    byDefault: false,
    shownDefault: 'false',
    wanted: 'must be true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  'notify.command': {
    byDefault: null,
    shownDefault: 'null',
    wanted: 'must be a list of words, the program first; it is run without a shell',
    parse: (value) =>
      value === null ? null : isStrings(value) && value.length > 0 && value[0] !== '' ? value : undefined,
  },
  'notify.webhook': {
    byDefault: null,
    shownDefault: 'null',
    wanted: 'must be an https URL, or an http URL on this machine, without a password',
    parse: (value) => (value === null ? null : isWebhook(value) ? value : undefined),
  },
  'notify.ntfy': {
    byDefault: null,
    shownDefault: 'null',
    wanted:
      'must be the address of a topic, such as "https://ntfy.example.org/my-topic": https, or http on this machine',
    parse: (value) => (value === null ? null : isWebhook(value) && TOPIC.test(value) ? value : undefined),
  },
  'notify.actions': {
    byDefault: false,
    shownDefault: 'false',
    wanted: 'must be true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  'notify.details': {
    byDefault: false,
    shownDefault: 'false',
    wanted: 'must be true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  'notify.pushServices': {
    byDefault: [],
    shownDefault: '[]',
    wanted: 'must be a list of origins, such as "https://push.example.org"',
    parse: (value) =>
      isStrings(value) && value.every((one) => isWebhook(one) && ORIGIN.test(one)) ? value : undefined,
  },
  'notify.quietHours': {
    byDefault: [],
    shownDefault: '[]',
    wanted: 'must be a range of times like "22:00-07:00", or a list of such ranges',
    parse: (value) => quietHoursOf(value),
    show: (value) => JSON.stringify(value.map(({ from, to }) => `${clock(from)}-${clock(to)}`)),
  },
};

export const SETTINGS = Object.fromEntries(
  Object.entries(TABLE).map(([key, setting]) => [key, { show: JSON.stringify, ...setting }]),
) as unknown as { readonly [K in SettingKey]: ShownSetting<UserSettings[K]> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

const DETACH_KEYS = /^(none|(ctrl-|c-|\^)[@a-z[\\\]^_](,((ctrl-|c-|\^)[@a-z[\\\]^_]|[\x21-\x7e]))*)$/i;
const WEBHOOK = /^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)([:/?#]|$))[^\s]*$/i;
const TOPIC = /^[a-z]+:\/\/[^/?#]+(\/[^?#]*)?\/[A-Za-z0-9_-]{1,64}$/i;
const ORIGIN = /^[a-z]+:\/\/[^/?#]+$/;

function isWebhook(value: unknown): value is string {
  if (typeof value !== 'string' || !WEBHOOK.test(value)) return false;
  const [authority = ''] = value.slice(value.indexOf('//') + 2).split(/[/?#]/, 1);
  return authority !== '' && !authority.includes('@');
}

function quietHoursOf(value: unknown): readonly QuietHours[] | undefined {
  const texts = typeof value === 'string' ? [value] : value;
  if (!isStrings(texts)) return undefined;
  const ranges = texts.map(parseQuietHours);
  return ranges.includes(undefined) ? undefined : (ranges as QuietHours[]);
}

function ageOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? /^(\d{1,6})([smhdw])$/.exec(value) : null;
  return parts ? Number(parts[1]) * UNIT_MS[parts[2] as keyof typeof UNIT_MS] : undefined;
}

function bytesOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? /^(\d{1,9})([kMGT]?)$/i.exec(value) : null;
  return parts ? Number(parts[1]) * 1024 ** ' kmgt'.indexOf(parts[2]!.toLowerCase() || ' ') : undefined;
}

/** Returns the value in the largest unit that gives a whole number: `2w`, `90d`. */
function shortest(value: number, units: Readonly<Record<string, number>>): string {
  const [unit, size] = Object.entries(units).findLast(([, each]) => value % each === 0) ?? ['', 1];
  return `${value / size}${unit}`;
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0'));
}

function isPattern(word: string): boolean {
  return /^[A-Za-z_*][A-Za-z0-9_*]*$/.test(word);
}
