import { expect, test } from 'vitest';
import { ACTION_LINK_MS, ActionLinks } from './action-links.ts';

test('[NOTE-3] a link is read by the gateway that made it, until it is used or too old', () => {
  let now = 1000;
  const links = new ActionLinks(() => now);
  const token = links.make('abcdefgh-x', '0');
  expect(token).toMatch(/^[\w-]+$/);
  const link = links.read(token)!;
  expect(link).toMatchObject({ ask: 'abcdefgh-x', action: '0' });
  expect(new ActionLinks(() => now).read(token)).toBe(null);
  now += ACTION_LINK_MS - 1;
  expect(links.read(token)).not.toBe(null);
  now += 1;
  expect(links.read(token)).toBe(null);
  now = 1000;
  expect([links.use(link), links.use(link), links.read(token)]).toEqual([true, false, null]);
});

test('[NOTE-3] no character of a link can be changed', () => {
  const links = new ActionLinks();
  const token = links.make('abcdefgh-x', '0');
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A';
    const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
    // The last character of a signature has two bits that no decoder reads.
    if (at < token.length - 1) expect([changed, links.read(changed)]).toEqual([changed, null]);
  }
  for (const text of ['', 'spoolask_', 'spoolask__', `spoolask_${'A'.repeat(500)}_${'A'.repeat(43)}`])
    expect(links.read(text)).toBe(null);
});
