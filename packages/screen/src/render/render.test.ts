import { expect, test } from 'vitest';
import { renderHtml } from './render-html.ts';
import { renderAnsi, renderJson, renderText } from './render.ts';
import { ScreenModel } from '../engine/screen-model.ts';

function modelOf(text: string, rows = 3): ScreenModel {
  const model = new ScreenModel({ cols: 20, rows });
  model.write(Uint8Array.from(Buffer.from(text)));
  return model;
}

test('text: one line a row, history before it if wanted', () => {
  const model = modelOf('one\r\ntwo\r\n\x1b[31mthree\x1b[m\r\n  four  ');
  expect(renderText(model)).toBe('two\nthree\n  four');
  expect(renderText(model, { history: 5 })).toBe('one\ntwo\nthree\n  four');
});

test('ansi: looks as SGR and nothing else, each line by itself', () => {
  const model = modelOf(
    '\x1b[1;31mred\r\nstill\x1b[m\x1b]8;;http://x/\x07link\x1b]8;;\x07\x1b[2;12H\x1b[44m \x1b[1"qp',
  );
  const ansi = renderAnsi(model);
  expect(ansi).toBe('\x1b[1;31mred\x1b[m\n\x1b[1;31mstill\x1b[mlink  \x1b[44m p\x1b[m\n');
  const other = modelOf(ansi.replaceAll('\n', '\r\n'));
  expect(renderAnsi(other)).toBe(ansi);
});

test('html: looks as styles', () => {
  const html = renderHtml(modelOf('\x1b[1;3;4:3;38;2;1;2;3;48;5;196mx\x1b[m \x1b[7mi\x1b[m\x1b[8mh\x1b[m\x1b[9;53ms'));
  expect(html).toContain(
    'color:#010203;background:#ff0000;font-weight:bold;font-style:italic;text-decoration-line:underline;text-decoration-style:wavy',
  );
  expect(html).toContain('<span style="color:#000000;background:#e5e5e5">i</span>');
  expect(html).toContain('visibility:hidden');
  expect(html).toContain('text-decoration-line:line-through overline');
});

test('html: what a program prints is text, never markup', () => {
  const evil = `<script>alert(1)</script>&"'\x1b]8;;javascript:alert(1)\x07a\x1b]8;;http://x/"onmouseover="alert(1)\x07b\x1b]8;;\x07`;
  const html = renderHtml(modelOf(evil, 6));
  expect(html).not.toMatch(/<script|javascript:|"onmouseover/);
  expect(html).toContain('&#60;script&#62;');
  expect(html).toContain('href="http://x/&#34;onmouseover=&#34;alert(1)"');
});

test('json: runs with their looks, cursor, title and modes', () => {
  const json = renderJson(modelOf('\x1b]0;title\x07plain\x1b[1;38;5;9m漢\x1b[m\x1b[?25l\x1b[?2004h'));
  expect(json).toMatchObject({
    cols: 20,
    rows: 3,
    title: 'title',
    isAlternate: false,
    historyLines: 0,
    cursor: { row: 0, col: 7, isVisible: false },
    modes: { bracketedPaste: true },
  });
  expect(json.lines[0]).toEqual({
    isWrapped: false,
    runs: [
      { text: 'plain', cells: 5, style: {} },
      { text: '漢', cells: 2, style: { bold: true, foreground: 9 } },
    ],
  });
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});
