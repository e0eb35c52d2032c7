import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { duplexPair } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Principal } from '../auth/principal.ts';
import { MachineKey } from './machine-key.ts';
import { NodeLink } from './node-link.ts';
import { serveMachine } from './node-server.ts';

function linked(granted: () => Principal | null): NodeLink {
  const folder = mkdtempSync(`${tmpdir()}/spool-link-`);
  const [near, far] = duplexPair();
  const key = MachineKey.in(folder);
  const end = serveMachine(far, { name: 'laptop', granted }, { authenticator: {} as Authenticator, key }, () => {});
  const link = new NodeLink(near, '', () => {});
  onTestFinished(() => {
    link.close();
    end();
    rmSync(folder, { recursive: true });
  });
  return link;
}

const GRANTED = { id: 't', kind: 'token', name: 'laptop', role: 'viewer', scope: {}, expiresAt: null } as const;

test('[NODE-20] a node that is asked who it is proves its key, and tells its version and the rights', async () => {
  const link = linked(() => GRANTED);
  const met = await link.meet();
  expect(met).toMatchObject({ version: '0.1.0', role: 'viewer' });
  expect([met.publicKey.length, link.version]).toEqual([59, '0.1.0']);
});

test('[NODE-20] a refusal of a node has its code', async () => {
  const link = linked(() => null);
  await expect(link.meet()).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  await expect(link.open({ name: 'alice', role: 'owner' })).rejects.toMatchObject({ code: 'TOKEN_REFUSED' });
  expect(link.isOpen).toBe(true);
});
