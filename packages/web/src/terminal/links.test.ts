import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLinks, webAddress } from './links.ts';

const CWD = '/home/ada/project';

const shown = (text: string): unknown =>
  findLinks(text, CWD).map((link) => (link.type === 'url' ? link.url : [link.path, link.line]));

test.each([
  ['see https://example.org/a?b=c#d.', ['https://example.org/a?b=c#d']],
  ['(https://example.org/a_(b))', ['https://example.org/a_(b)']],
  ['➜  Local: http://localhost:5173/', ['http://localhost:5173/']],
  ['javascript:alert(1) file:///etc/passwd ftp://x', []],
  ['src/a.ts:12:3 - error TS1', [['src/a.ts', 12]]],
  ['    at main (/home/ada/project/src/main.rs:7)', [['src/main.rs', 7]]],
  ['/etc/passwd:1 /home/ada/other/x.ts:1', []],
  ['./b/c.go and ../up.go:3', [['b/c.go', undefined]]],
  ['README.md:9', [['README.md', 9]]],
  ['version 1.2.3 at 10:30, e.g. this', []],
  ['http://host/a.ts:12', ['http://host/a.ts:12']],
])('[PAGE-11] %s', (text, expected) => expect(shown(text)).toEqual(expected));

test('[PAGE-11] a link that a program names opens only if it is of the web', () => {
  expect(webAddress('https://example.org')).toBe('https://example.org/');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vscode://x', '//x', ''])
    expect([text, webAddress(text)]).toEqual([text, null]);
});

test('whatever a line contains, links lie within it and in order, and lead to no parent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      let last = 0;
      for (const link of findLinks(`${text} src/x.ts:1 http://a/`, CWD)) {
        expect(link.start).toBeGreaterThanOrEqual(last);
        last = link.end;
        if (link.type === 'file') expect(link.path.split('/')).not.toContain('..');
      }
    }),
  );
});
