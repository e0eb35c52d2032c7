import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const SOURCE = readFileSync(new URL('./push-worker.js', import.meta.url), 'utf8');

/** Runs the worker with a gateway that gives this answer; returns the titles of the notifications after a press. */
async function shownAfter(answer: () => Promise<object>): Promise<{ readonly title: string; readonly body: string }[]> {
  const shown: { title: string; body: string }[] = [];
  const handlers: Record<string, (event: object) => void> = {};
  const self = {
    addEventListener: (name: string, handler: (event: object) => void) => (handlers[name] = handler),
    registration: {
      scope: 'https://spool.test/',
      showNotification: async (title: string, { body }: { body: string }) => void shown.push({ title, body }),
    },
  };
  const context: Record<string, unknown> = { self, fetch: answer, URL };
  runInNewContext(SOURCE, context);
  context['pass'] = async () => 'pass'; // tests/page-touch.test.ts covers the signing
  let done: Promise<unknown> = Promise.resolve();
  handlers['notificationclick']!({
    action: 'option:yes',
    notification: { close: () => {}, data: { ask: 'a-1', url: './#/s/a' } },
    waitUntil: (promise: Promise<unknown>) => (done = promise),
  });
  await done;
  return shown;
}

const answered = (status: number, isConfirmed: boolean) => async (): Promise<object> => ({
  ok: status === 200,
  status,
  json: async () => ({ isConfirmed }),
});

test('[PAGE-30] an answer from a notification that did not take says so', async () => {
  expect(await shownAfter(answered(200, true))).toEqual([]);
  expect(await shownAfter(answered(200, false))).toEqual([
    { title: 'Not answered', body: expect.stringContaining('did not arrive') },
  ]);
  expect(await shownAfter(answered(409, false))).toMatchObject([{ body: expect.stringContaining('has changed') }]);
  expect(await shownAfter(() => Promise.reject(new Error('offline')))).toMatchObject([{ title: 'Not answered' }]);
});
