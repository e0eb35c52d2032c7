import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { isSignedByNKey, NKey } from './nkey.ts';

test('[NODE-53] a key is that of NATS: the seed gives the public key, which checks signatures', () => {
  // An example of the documentation of NATS.
  const key = NKey.from('SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY');
  expect(key.public).toBe('UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4');
  const signature = key.sign('hello');
  expect(isSignedByNKey(key.public, 'hello', signature)).toBe(true);
  expect(isSignedByNKey(key.public, 'hallo', signature)).toBe(false);
  expect(isSignedByNKey(`${key.public.slice(0, -1)}A`, 'hello', signature)).toBe(false);
  expect(isSignedByNKey('nonsense', 'hello', signature)).toBe(false);
});

test('[NODE-53] a seed is made once, for its user alone; one that others may read is refused', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  const path = `${folder}/keys/nats.nk`;
  try {
    expect(() => NKey.at(path)).toThrow('cannot be read');
    const made = NKey.at(path, true);
    expect(NKey.at(path).public).toBe(made.public);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^SU[A-Z2-7]{56}\n$/);
    const library = `
      const { fromSeed } = require('@nats-io/nkeys');
      console.log(fromSeed(Buffer.from(process.argv[1])).getPublicKey());`;
    const seed = readFileSync(path, 'utf8').trim();
    const said = execFileSync(process.execPath, ['-e', library, seed], { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(said.trim()).toBe(made.public);
    chmodSync(path, 0o644);
    expect(() => NKey.at(path)).toThrow('others may read');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
