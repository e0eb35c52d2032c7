import { expect, test } from 'vitest';
import { defaultConfig, parseConfig, readConfig } from './config.ts';
import { isQuiet, parseQuietHours } from './quiet-hours.ts';
import { SETTING_KEYS, type SettingKey, SETTINGS } from './settings.ts';

/** Returns a nested object from a key with dots. */
const textOf = (key: string, value: unknown): string =>
  JSON.stringify(key.split('.').reduceRight((inner, name) => ({ [name]: inner }), value));

test.each<[SettingKey, unknown, unknown]>([
  ['detachKeys', 'C-q', 'C-q'],
  ['detachKeys', 'none', 'none'],
  ['detachKeys', '^P,^Q', '^P,^Q'],
  ['sizePolicy', 'smallest', 'smallest'],
  ['history', 200, 200],
  ['history', 20_000, 20_000],
  ['retain', '64M', 64 * 1024 * 1024],
  ['retain', null, null],
  ['env', ['GITHUB_TOKEN', 'AWS_*'], ['GITHUB_TOKEN', 'AWS_*']],
  ['keepEnded.age', '8w', 56 * 86_400_000],
  ['keepEnded.count', 7, 7],
  ['notify.on', ['exit'], ['exit']],
  ['notify.desktop', true, true],
  ['notify.command', ['say', 'hello'], ['say', 'hello']],
  ['notify.webhook', 'https://example.com/x', 'https://example.com/x'],
  ['notify.webhook', 'http://[::1]:9/x', 'http://[::1]:9/x'],
  ['notify.quietHours', '22:00-07:00', [{ from: 1320, to: 420 }]],
  [
    'notify.quietHours',
    ['12:00-13:30', '22:00-24:00'],
    [
      { from: 720, to: 810 },
      { from: 1320, to: 1440 },
    ],
  ],
])('[CONF-1] %s may be %j', (key, value, parsed) => {
  const { settings, faults, lines } = parseConfig(textOf(key, value));
  expect([settings, faults, [...lines.keys()]]).toEqual([{ ...defaultConfig().settings, [key]: parsed }, [], [key]]);
});

test.each<[SettingKey, unknown]>([
  ['detachKeys', 'q'],
  ['detachKeys', 17],
  ['sizePolicy', 'huge'],
  ['history', -1],
  ['history', '20'],
  ['history', 20_001],
  ['history', 100_000_000],
  ['retain', 'much'],
  ['env', 'PATH'],
  ['env', ['A=B']],
  ['env', ['']],
  ['keepEnded.age', 30],
  ['keepEnded.count', 1.5],
  ['notify.on', ['lunch']],
  ['notify.desktop', 'yes'],
  ['notify.command', 'say hello'],
  ['notify.command', []],
  ['notify.command', ['a\0b']],
  ['notify.webhook', 'http://example.com/x'],
  ['notify.webhook', 'http://localhost.example.com/'],
  ['notify.webhook', 'https://user:secret@example.com/'],
  ['notify.webhook', 'file:///etc/passwd'],
  ['notify.quietHours', '25:00-07:00'],
  ['notify.quietHours', '22:00-22:00'],
  ['notify.quietHours', ['22:00']],
])('[CONF-1] %s may not be %j: the default applies, and a sentence says what it must be', (key, value) => {
  const { settings, faults } = parseConfig(textOf(key, value));
  expect(settings).toEqual(defaultConfig().settings);
  expect(faults).toEqual([{ key, line: 1, says: `${key} ${SETTINGS[key].wanted}`, isWarning: false }]);
});

test('[CONF-1] one wrong value spoils no other; a fault names its line; an unknown key is a warning', () => {
  const text = `{
  "history": 10,
  "notify": { "on": ["exit"],
    "desktop": 1, "desctop": true },
  "env": ["A", { "}": "{" }],
  "histroy": 5
}`;
  const { settings, faults } = parseConfig(text);
  expect(settings).toMatchObject({ history: 10, 'notify.on': ['exit'], 'notify.desktop': false, env: [] });
  expect(faults.map(({ line, says, isWarning }) => `${line} ${says} ${isWarning}`)).toEqual([
    '4 notify.desktop must be true or false false',
    '4 notify.desctop is not a setting true',
    `5 env ${SETTINGS.env.wanted} false`,
    '6 histroy is not a setting true',
  ]);
});

test.each([
  ['{ "history": 10,\n  oops }', 2, 'it is not JSON'],
  ['{ "history": ', null, 'it is not JSON'],
  ['', null, 'it is not JSON'],
  ['[]', 1, 'it must be one JSON object'],
  ['null', 1, 'it must be one JSON object'],
  ['{ "notify": 5 }', 1, 'notify must be an object'],
])('[CONF-1] the file %j: the defaults apply', (text, line, says) => {
  const { settings, faults } = parseConfig(text);
  expect(settings).toEqual(defaultConfig().settings);
  expect(faults).toMatchObject([{ says: expect.stringContaining(says) }]);
  if (line !== null) expect(faults[0]!.line).toBe(line);
});

test('[CONF-1] a file that is missing is the default; one that is no file, or too large, is a fault', () => {
  const files = (size: number, isFile = true) => ({
    statSync: () => ({ size, isFile: () => isFile }),
    readFileSync: () => '{ "history": 3 }',
  });
  const missing = () => {
    throw Object.assign(new Error('no'), { code: 'ENOENT' });
  };
  expect(readConfig('/c', files(10)).settings.history).toBe(3);
  expect(readConfig('/c', { statSync: missing, readFileSync: missing })).toEqual(defaultConfig());
  expect(readConfig('/c', files(10, false)).faults[0]!.says).toBe('it cannot be read: it is not a file');
  expect(readConfig('/c', files(100_000)).faults[0]!.says).toBe('it cannot be read: it has more than 64 KiB');
});

test('[CONF-1] every default is what the table shows, and is valid', () => {
  for (const key of SETTING_KEYS) {
    const { shownDefault, byDefault, parse } = SETTINGS[key];
    if (key !== 'detachKeys') expect([key, parse(JSON.parse(shownDefault))]).toEqual([key, byDefault]);
  }
});

test.each([
  ['22:00-07:00', [22, 0], true],
  ['22:00-07:00', [6, 59], true],
  ['22:00-07:00', [7, 0], false],
  ['22:00-07:00', [21, 59], false],
  ['12:00-13:00', [12, 30], true],
  ['12:00-13:00', [13, 0], false],
  ['22:00-24:00', [23, 59], true],
  ['22:00-24:00', [0, 0], false],
] as const)('[CONF-2] %s at %j is quiet: %s', (text, [hours, minutes], expected) => {
  expect(isQuiet([parseQuietHours(text)!], new Date(2026, 5, 1, hours, minutes))).toBe(expected);
});

test('[CONF-1] a byte order mark at the start of the file is no mistake', () => {
  expect(parseConfig('\uFEFF{"retain": "1G"}')).toEqual(parseConfig('{"retain": "1G"}'));
  expect(parseConfig('\uFEFF{"retain": "1G"}').faults).toEqual([]);
  expect(parseConfig('{"retain": \uFEFF"1G"}').faults).toHaveLength(1);
});
