/** Tests Markdown on the page: text nodes only, and the same elements in pieces as at once. */
import * as fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './Markdown.tsx';

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test('[CARD-3] blocks become elements: headings, lists, tables, code, quotes', () => {
  const shown = html(
    '# Title\n\n- [x] done\n\n| a | b |\n| --- | ---: |\n| c | d |\n\n```js\nlet a;\n```\n\n> said\n\n---',
  );
  expect(shown).toContain('role="heading" aria-level="3"');
  expect(shown).toContain('<td data-align="right" dir="auto">d</td>');
  expect(shown).toContain('let a;');
  expect(shown).toMatch(/☑.*done.*<blockquote>.*said.*<hr\/>/s);
});

const hostile = fc.oneof(
  fc.string({ maxLength: 100 }),
  fc.constantFrom(
    '<img src=x onerror=alert(1)>',
    '</p><script>',
    '[a](javascript:alert(1))',
    '```',
    '| a |\n| - |\n',
    '> ',
  ),
);

test('[CARD-1, PAGE-8] whatever a message contains, its elements are those of Markdown, and links lead to the web', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 12 }), (parts) => {
      const shown = html(parts.join('\n'));
      const names = [...shown.matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name!);
      const own = 'div p span code pre button a blockquote hr br table thead tbody tr th td'.split(' ');
      expect(names.filter((name) => !own.includes(name))).toEqual([]);
      expect([...shown.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !/^https?:\/\//.test(to!))).toEqual([]);
    }),
  );
});
