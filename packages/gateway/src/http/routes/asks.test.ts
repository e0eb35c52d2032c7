import type { SessionInfo } from '@spool/protocol';
import { expect, test } from 'vitest';
import { ActionLinks } from '../../push/action-links.ts';
import { askOf } from '../../push/asks.ts';
import { askRoutes } from './asks.ts';

const status = {
  state: 'blocked',
  since: 1,
  question: { text: 'Proceed?', options: [{ key: 'y', label: 'Yes' }] },
} as unknown as SessionInfo['status'];
const session = { id: 'abcdefgh', name: 'x', status } as SessionInfo;

test('[NOTE-3] the link of a notification is used up by its first answer, confirmed or not', async () => {
  const links = new ActionLinks();
  const ask = askOf(session.id, status)!;
  const link = links.read(links.make(ask, '0'))!;
  let answers = 0;
  const client = { get: async () => session, answer: async () => ({ isConfirmed: ++answers < 0 }) };
  const [answer] = askRoutes(links);
  const press = (): Promise<unknown> =>
    answer!.run({ client, id: ask, request: { principal: { link } }, body: { action: '0' } } as never);
  expect(await press()).toEqual({ isConfirmed: false });
  await expect(press()).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  expect([answers, links.read(links.make(ask, '0')) !== null]).toEqual([1, true]);
});
