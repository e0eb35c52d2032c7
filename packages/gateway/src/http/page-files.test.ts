import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { NONCE_PLACE, PageFiles, pagesBeside } from './page-files.ts';

test('[DOOR-6] the policy of the page is exactly this list, with the nonce that the page has, another one for each load', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    `${folder}/index.html`,
    `<script nonce="${NONCE_PLACE}"></script><style nonce="${NONCE_PLACE}"></style>`,
  );
  const files = new PageFiles(folder);
  const nonces = [files.page(), files.page()].map(({ html, policy }) => {
    const [, nonce = ''] = /^<script nonce="([\w+/=]{24})"><\/script><style nonce="\1"><\/style>$/.exec(html) ?? [];
    expect(Object.fromEntries(policy.split('; ').map((rule) => rule.split(/ (.*)/s)))).toEqual({
      'default-src': "'none'",
      'script-src': `'self' 'nonce-${nonce}'`,
      'style-src': `'self' 'nonce-${nonce}'`,
      'img-src': "'self' data: blob:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'worker-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'spool',
    });
    return nonce;
  });
  expect(nonces[0]).not.toBe(nonces[1]);
});

test('[PAGE-78] a file is compressed as the browser accepts it, once, and a short one or a picture is not', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-page-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const code = 'export const answer = 42;\n'.repeat(1000);
  writeFileSync(`${folder}/a.js`, code);
  writeFileSync(`${folder}/short.js`, 'x');
  writeFileSync(`${folder}/a.png`, code);
  const files = new PageFiles(folder);
  const br = (await files.packed('a.js', 'gzip, deflate, br'))!;
  expect([br.encoding, br.type]).toEqual(['br', 'text/javascript; charset=utf-8']);
  expect(brotliDecompressSync(br.bytes).toString()).toBe(code);
  expect((await files.packed('a.js', 'br'))!.bytes).toBe(br.bytes);
  const gz = (await files.packed('a.js', 'gzip;q=0.5, br;q=0'))!;
  expect(gz.encoding).toBe('gzip');
  expect(gunzipSync(gz.bytes).toString()).toBe(code);
  for (const [name, accepted] of [
    ['a.js', undefined],
    ['a.js', 'identity'],
    ['short.js', 'br'],
    ['a.png', 'br'],
  ] as const)
    expect((await files.packed(name, accepted))!.encoding).toBe(null);
  expect(await files.packed('none.js', 'br')).toBe(null);
});

test('[REL-5] a page of the version before still gets its assets, and nothing else of it', () => {
  const state = mkdtempSync(`${tmpdir()}/spool-page-`);
  onTestFinished(() => rmSync(state, { recursive: true }));
  for (const copy of ['new', 'old']) {
    mkdirSync(`${state}/program/${copy}/web/assets`, { recursive: true });
    for (const name of ['index.html', `only-${copy}.html`, 'assets/same-1.js', `assets/part-${copy}.js`])
      writeFileSync(`${state}/program/${copy}/web/${name}`, copy);
  }
  const folder = `${state}/program/new/web`;
  const files = new PageFiles(folder, pagesBeside(folder));
  const read = (name: string): string | undefined => files.read(name)?.bytes.toString();
  expect(['assets/part-old.js', 'assets/part-new.js', 'assets/same-1.js', 'index.html'].map(read)).toEqual([
    'old',
    'new',
    'new',
    'new',
  ]);
  expect(['only-old.html', 'assets/../only-old.html', 'assets/../../../x', 'assets/none.js'].map(read)).toEqual(
    Array.from({ length: 4 }),
  );
  expect(pagesBeside('/somewhere/dist/web')).toEqual([]);
});
