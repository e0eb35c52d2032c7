import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { PushBook } from './push-book.ts';

const keys = { p256dh: 'p', auth: 'a' };
const place = (name: string): string => `https://push.example/${name}`;

test('[NOTE-2] the browsers of one share link cannot take the places of all, and one browser has few', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-push-`);
  try {
    const book = new PushBook(folder);
    for (let guest = 0; guest < 50; guest++)
      book.add(`guest-${guest}`, { endpoint: place(`guest-${guest}`), keys, link: 'one' });
    const more = (token: string, link?: string): unknown => book.add(token, { endpoint: place(token), keys, link });
    expect(() => more('guest-50', 'one')).toThrow(expect.objectContaining({ code: 'TOO_MANY' }));
    expect(book.all()).toHaveLength(50);
    more('guest-of-another', 'two');
    more('owner');
    // The same browser again keeps its place, also where all are taken.
    more('guest-7', 'one');
    expect(book.all()).toHaveLength(52);
    for (let count = 0; count < 8; count++) book.add('owner', { endpoint: place(`owner-${count}`), keys });
    expect(book.of('owner').map(({ endpoint }) => endpoint)).toEqual([3, 4, 5, 6, 7].map((n) => place(`owner-${n}`)));
    expect(new PushBook(folder).all()).toEqual(book.all());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
