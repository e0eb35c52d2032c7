import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { PushTargets } from './push-targets.ts';

const keys = { p256dh: 'p', auth: 'a' };
const place = (name: string): string => `https://push.example/${name}`;

test('[NOTE-2] the browsers of one share link cannot take the places of all, and one browser has few', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-push-`);
  try {
    const pushTargets = new PushTargets(folder);
    for (let guest = 0; guest < 50; guest++)
      pushTargets.add(`guest-${guest}`, { endpoint: place(`guest-${guest}`), keys, link: 'one' });
    const more = (token: string, link?: string): unknown =>
      pushTargets.add(token, { endpoint: place(token), keys, link });
    expect(() => more('guest-50', 'one')).toThrow(expect.objectContaining({ code: 'TOO_MANY' }));
    expect(pushTargets.all()).toHaveLength(50);
    more('guest-of-another', 'two');
    more('owner');
    // The same browser keeps its place when it subscribes again, even if all places are taken.
    more('guest-7', 'one');
    expect(pushTargets.all()).toHaveLength(52);
    for (let count = 0; count < 8; count++) pushTargets.add('owner', { endpoint: place(`owner-${count}`), keys });
    expect(pushTargets.of('owner').map(({ endpoint }) => endpoint)).toEqual(
      [3, 4, 5, 6, 7].map((n) => place(`owner-${n}`)),
    );
    expect(new PushTargets(folder).all()).toEqual(pushTargets.all());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
