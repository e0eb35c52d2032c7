import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { NONCE_PLACE, PageFiles } from './page-files.ts';

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
