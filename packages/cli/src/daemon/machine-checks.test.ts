import { expect, test } from 'vitest';
import { lingerCheck } from '../install/linger-check.ts';
import { inotifyCheck } from './inotify-check.ts';

test.each([
  [10, 128, 65_536, 'ok', undefined],
  [120, 128, 65_536, 'warn', 'raise fs.inotify.max_user_instances (sysctl)'],
  [10, 128, 1024, 'warn', 'raise fs.inotify.max_user_watches (sysctl)'],
  [128, 128, 10, 'warn', 'raise fs.inotify.max_user_instances and fs.inotify.max_user_watches (sysctl)'],
])('[INST-3] inotify: %d of %d instances, %d watches: %s', (instances, instancesMax, watchesMax, level, todo) => {
  const found = inotifyCheck({ instances, instancesMax, watchesMax });
  expect({ level: found.level, todo: found.todo }).toEqual({ level, todo });
});

test.each([
  [{ hasSystemd: false, hasService: true, isOn: false }, 'ok'],
  [{ hasSystemd: true, hasService: false, isOn: false }, 'ok'],
  [{ hasSystemd: true, hasService: true, isOn: false }, 'warn'],
  [{ hasSystemd: true, hasService: true, isOn: true }, 'ok'],
])('[INST-3] linger: %o: %s', (signs, level) => expect(lingerCheck(signs).level).toBe(level));
