import { expect, test } from 'vitest';
import { HTML_STYLE, htmlLine } from './html.ts';
import { span } from './lines.ts';

test('a line is marked by what its parts are, and nothing in it is markup', () => {
  const line = [span('plain <b>&"\' '), span('+ new', { tone: 'added', bold: true }), span('', { tone: 'error' })];
  expect(htmlLine(line)).toBe('plain &lt;b&gt;&amp;&quot;&#39; <span class="added bold">+ new</span>');
});

test('each colour of the page is readable on its background, light and dark', () => {
  const themes = [...HTML_STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, rules]) =>
    Object.fromEntries([...rules!.matchAll(/--(\w+): (#[0-9a-f]+)/g)].map(([, name, colour]) => [name!, colour!])),
  );
  expect(themes).toHaveLength(2);
  for (const { back, ...colours } of themes)
    for (const [name, colour] of Object.entries(colours))
      expect([name, contrast(colour, back!) >= 4.5]).toEqual([name, true]);
});

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Computes the luminance as WCAG defines it. */
function luminance(colour: string): number {
  const digits =
    colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.slice(1).match(/../g)!;
  const [red, green, blue] = digits.map((pair) => {
    const part = Number.parseInt(pair, 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
