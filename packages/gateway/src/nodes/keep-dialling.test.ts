import { SpoolError } from '@spool/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepDialling, newDialState } from './keep-dialling.ts';

test('[NODE-63] a machine that refuses the version is not dialled again like one that is away', async () => {
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const dialled = (code: 'VERSION_UNSUPPORTED' | 'CONNECTION_LOST') => {
    const [dial, once] = [newDialState(), vi.fn(() => Promise.reject(new SpoolError(code)))];
    void keepDialling(dial, ended.signal, once, 10);
    return { dial, once };
  };
  const [refused, away] = [dialled('VERSION_UNSUPPORTED'), dialled('CONNECTION_LOST')];
  await vi.waitFor(() => expect(away.once.mock.calls.length).toBeGreaterThan(10), 20_000);
  expect(refused.once).toHaveBeenCalledTimes(1);
  expect(refused.dial).toMatchObject({ state: 'away', reason: expect.stringContaining('no version') as unknown });
});
