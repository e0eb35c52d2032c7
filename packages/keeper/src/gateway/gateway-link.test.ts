import type { FromKeeper, GatewayInfo, GatewayOptions } from '@spool/protocol';
import { expect, test } from 'vitest';
import { GatewayLink } from './gateway-link.ts';

const info = (options: GatewayOptions): GatewayInfo => ({
  pid: 1,
  host: '127.0.0.1',
  port: 1,
  url: 'http://127.0.0.1:1/',
  startedAt: 0,
  options,
});

function stage(): { link: GatewayLink; sent: FromKeeper[] } {
  const sent: FromKeeper[] = [];
  return { link: new GatewayLink((message) => sent.push(message)), sent };
}

const A: GatewayOptions = { port: 1 };
const B: GatewayOptions = { port: 2 };

test('[DOOR-10] each who asks gets the gateway that was asked for, or is told why not', async () => {
  const { link } = stage();
  const asked = [link.start(A), link.start(B), link.start(undefined)];
  const [one, two, any] = asked;
  void one!.catch(() => {});
  link.serve({ info: info(A) }, () => {});
  expect(await one).toMatchObject({ options: A });
  link.serve({ info: info(B) }, () => {});
  expect([await two, (await any)!.options === undefined]).toMatchObject([{ options: B }, false]);
});

test('[DOOR-10] whoever was overtaken is told at once', async () => {
  const { link } = stage();
  const [one, two] = [link.start(A), link.start(B)];
  link.serve({ info: info(B) }, () => {});
  await expect(one).rejects.toThrow('with other options meanwhile');
  expect(await two).toMatchObject({ options: B });
});

test('[DOOR-10] a gateway that is no longer wanted may fail, and its successor is not given up', async () => {
  const { link, sent } = stage();
  const [one, two] = [link.start(A), link.start(B)];
  link.serve({ failure: { code: 'GATEWAY_START_FAILED', details: { reason: 'taken' } }, options: A }, () => {});
  await expect(one).rejects.toThrow('taken');
  expect(sent.map((message) => message.type === 'gateway' && message.options)).toEqual([A, B]);
  link.serve({ info: info(B) }, () => {});
  expect(await two).toMatchObject({ options: B });
});

test('[DOOR-10] any gateway: the holder is not told to change the one that it has', async () => {
  const { link, sent } = stage();
  const any = link.start(undefined);
  expect(sent).toEqual([{ type: 'gateway', options: undefined }]);
  link.serve({ info: info(A) }, () => {});
  expect(await any).toMatchObject({ options: A });
});

test('[DOOR-10] a gateway that is stopped while it starts: whoever waits is told', async () => {
  const { link } = stage();
  const one = link.start(A);
  link.stop();
  await expect(one).rejects.toThrow('it was stopped');
});
