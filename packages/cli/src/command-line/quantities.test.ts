import { expect, test } from 'vitest';
import { formatByteSize, parseByteSize, parseDuration, parseSize, parseWhole } from './quantities.ts';

test.each<[string, number | null]>([
  ['500ms', 500],
  ['10s', 10_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['10', 10_000],
  ['0.25', 250],
  ['0', 0],
  ['', null],
  ['s', null],
  ['10 s', null],
  ['-1s', null],
  ['1e3', null],
  ['5x', null],
  ['1000d', null],
])('the time %j is %s ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each<[string, number | null]>([
  ['0', 0],
  ['500', 500],
  ['500b', 500],
  ['64k', 65_536],
  ['64K', 65_536],
  ['64kb', 65_536],
  ['64KiB', 65_536],
  ['10M', 10_485_760],
  ['1.5g', 1_610_612_736],
  ['1t', 1_099_511_627_776],
  ['', null],
  ['k', null],
  ['-1', null],
  ['1p', null],
  ['99999t', null],
])('the size %j is %s bytes', (text, bytes) => expect(parseByteSize(text)).toBe(bytes));

test.each<[string, object | null]>([
  ['120x40', { cols: 120, rows: 40 }],
  ['1X1', { cols: 1, rows: 1 }],
  ['0x10', null],
  ['10001x10', null],
  ['120', null],
  ['120x', null],
  ['120x40x2', null],
])('the terminal size %j is %j', (text, size) => expect(parseSize(text)).toEqual(size));

test.each<[string, number | null]>([
  ['50', 50],
  ['-5', -5],
  ['5.5', null],
  ['', null],
  ['0x10', null],
])('the number %j is %s', (text, number) => expect(parseWhole(text)).toBe(number));

test.each([
  [0, '0'],
  [1023, '1023'],
  [1024, '1k'],
  [1536, '1.5k'],
  [10 * 1024, '10k'],
  [1024 * 1024 - 1, '1M'],
  [3_565_158, '3.4M'],
  [5 * 1024 ** 4, '5T'],
  [5000 * 1024 ** 4, '5000T'],
])('%s bytes read %s', (bytes, text) => expect(formatByteSize(bytes)).toBe(text));
