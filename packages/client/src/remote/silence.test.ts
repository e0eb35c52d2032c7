import { expect, test } from 'vitest';
import { gatewayAddress } from './address.ts';
import { remoteRuntime } from './index.ts';
import { REMOTE_SILENCE } from './remote-runtime.ts';

test('[REM-2] over a network a dead peer is noticed within 15 s, and a silent one is asked before a proxy cuts it', () => {
  const { silence } = remoteRuntime(gatewayAddress('http://127.0.0.1:1'));
  expect(silence).toBe(REMOTE_SILENCE);
  expect(silence!.askAfterMs + silence!.cutAfterMs).toBeLessThanOrEqual(15_000);
  expect(silence!.askAfterMs).toBeLessThan(60_000);
});
