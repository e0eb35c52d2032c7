import type { Client } from '@spool/client';
import { afterEach, expect, test, vi } from 'vitest';
import { NodeNotices } from './node-notices.ts';
import type { NodeNotification } from './online-node.ts';

const LIMIT = 60;
const NOTICE: NodeNotification = {
  type: 'notification',
  at: 0,
  id: '7',
  name: 'build',
  about: 'exit',
  title: 'build has ended',
  body: '',
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('[NODE-46] a node that sends notifications without end, or none that is one, reaches no one else', async () => {
  vi.useFakeTimers();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const passed: string[] = [];
  const doors = {
    nodeNotice: ({ node }: { node: string }): Promise<void> => {
      passed.push(node);
      return Promise.resolve();
    },
  };
  const notices = new NodeNotices({ doors } as unknown as Client);
  for (const other of [{ id: '\u001b[2J' }, { title: null }, { about: 'all' }, { body: 'x'.repeat(20_000) }])
    await notices.pass('odd', { ...NOTICE, ...other } as NodeNotification);
  expect(passed).toEqual([]);
  const before = said.mock.calls.length;
  for (let at = 0; at < 10 * LIMIT; at++) await notices.pass('loud', NOTICE);
  await notices.pass('calm', NOTICE);
  expect([passed.length, passed.at(-1), said.mock.calls.length - before]).toEqual([LIMIT + 1, 'calm', 1]);
  vi.advanceTimersByTime(60_000);
  await notices.pass('loud', NOTICE);
  expect(passed.at(-1)).toBe('loud');
});
