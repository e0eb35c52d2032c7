import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { placementOf } from './placement.ts';

test.each([
  ['0.0.0.0', true],
  ['::', true],
  ['127.0.0.2', false],
])(
  '[DOOR-18] %s: the names of the certificate count where the address is none that anybody calls',
  async (host, isEverywhere) => {
    const folder = mkdtempSync(`${tmpdir()}/spool-placement-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const placement = await placementOf({ host, tls: 'self-signed' }, folder);
    expect([placement.host, placement.isEverywhere]).toEqual([host, isEverywhere]);
  },
);
