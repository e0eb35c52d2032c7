/** Tests that the page shows every character of a request's lines as text, at the widths of a desk and of a phone. */
import { plainText, requestLines } from '@spool/render';
import * as fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { StyledLines } from './StyledLines.tsx';

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#x27': "'" };
const hostile = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constantFrom(
    '<img src=x onerror=alert(1)>',
    '</span>',
    'javascript:alert(1)',
    'https://a.example/x',
    '&lt;',
    '\u001b[2J',
    'a\nb',
  ),
);
const input = fc.dictionary(hostile, fc.oneof(hostile, fc.jsonValue()), { maxKeys: 6 });

test('[REQ-1, PAGE-8] the text of any request is on the page whole, and none of it is markup', () => {
  fc.assert(
    fc.property(input, fc.constantFrom(110, 38), (members, width) => {
      const ask = { kind: 'permission.requested' as const, name: 'Bash', input: members, options: [] };
      const lines = requestLines(ask, width);
      const html = renderToStaticMarkup(createElement(StyledLines, { lines, width }));
      const tags = [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
      const address = /^<a class="[\w -]*" href="https?:\/\/[^"]*" target="_blank" rel="noopener noreferrer">$/;
      expect(tags.filter((tag) => !/^<\/?(span|a)>$|^<span class="[\w -]*">$/.test(tag) && !address.test(tag))).toEqual(
        [],
      );
      const shown = html
        .split('<span class="line">')
        .slice(1)
        .map((row) =>
          row.replaceAll(/<[^>]*>/g, '').replaceAll(/&(lt|gt|amp|quot|#x27);/g, (_, name: string) => ENTITIES[name]!),
        );
      expect(shown).toEqual(lines.map((line) => plainText(line) || '\u00a0'));
    }),
  );
});
