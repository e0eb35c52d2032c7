import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeConfig, settingKey, settingValue } from './config-change.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  file = `${folder}/spool/config.json`;
});
afterEach(() => rmSync(folder, { recursive: true }));

const content = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

test('[CONF-40] a setting is set and removed, and everything else in the file stays', () => {
  expect(changeConfig(file, 'notify.desktop', true)).toBe(true);
  expect(content()).toEqual({ notify: { desktop: true } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, '{ "unknown": [1], "notify": { "desktop": true, "own": 1 } }');
  expect(changeConfig(file, 'keepEnded.age', '90d')).toBe(true);
  expect(content()).toEqual({ unknown: [1], notify: { desktop: true, own: 1 }, keepEnded: { age: '90d' } });
  expect(changeConfig(file, 'keepEnded.age', '90d')).toBe(false);
  expect(changeConfig(file, 'notify.desktop', undefined)).toBe(true);
  expect(changeConfig(file, 'notify.desktop', undefined)).toBe(false);
  expect(content()).toEqual({ unknown: [1], notify: { own: 1 }, keepEnded: { age: '90d' } });
});

test('[CONF-40] a file that is a link elsewhere stays one', () => {
  mkdirSync(`${folder}/spool`);
  writeFileSync(`${folder}/dotfile`, '{}\n', { mode: 0o644 });
  symlinkSync('../dotfile', file);
  changeConfig(file, 'sizePolicy', 'largest');
  expect(readlinkSync(file)).toBe('../dotfile');
  expect(content()).toEqual({ sizePolicy: 'largest' });
});

test.each(['{ "a": ', '[]', '"text"'])('[CONF-40] a file that is not an object (%s) is not touched', (text) => {
  mkdirSync(`${folder}/spool`);
  writeFileSync(file, text);
  expect(() => changeConfig(file, 'sizePolicy', 'largest')).toThrow('correct it first');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('[CONF-40] a value that cannot be used is refused with the words of `config check`; plain words need no quotes', () => {
  expect(settingValue('sizePolicy', 'largest')).toBe('largest');
  expect(settingValue('sizePolicy', '"largest"')).toBe('largest');
  expect(settingValue('notify.desktop', 'true')).toBe(true);
  expect(() => settingValue('sizePolicy', 'huge')).toThrow(
    'sizePolicy must be "latest", "smallest", "largest" or "fixed"',
  );
  expect(() => settingKey('sizepolicy')).toThrow('did you mean sizePolicy?');
});
