/**
 * Renders Markdown as lines for a terminal. The result depends only on the text so far, so a text that arrives in pieces gives
 * the same lines in the end as one that arrives at once. Keeps SHOW-2.
 */
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import {
  cutVisible,
  isBlank,
  type Line,
  type SpanStyle,
  repeated,
  sliceVisible,
  type Span,
  span,
  under,
  widthOf,
} from '../lines.ts';
import { visibleLines } from '../visible-lines.ts';
import { wrap } from '../wrap.ts';
import { type Block, blocksOf } from './blocks.ts';
import { inline } from './inline.ts';
import { tableLines } from './table.ts';

const INDENT_CELLS = 2;
const RULE_CELLS_MAX = 40;
const FAINT: SpanStyle = { dim: true };

/** Returns the lines; if `width` is Infinity, no line is wrapped. */
export function markdownLines(text: string, width: number): Line[] {
  const lines = blockLines(blocksOf(visibleLines(text)), width);
  while (lines.length > 0 && isBlank(lines.at(-1)!)) lines.pop();
  return lines;
}

function blockLines(blocks: readonly Block[], width: number): Line[] {
  return blocks.flatMap((block) => linesOf(block, width));
}

function linesOf(block: Block, width: number): Line[] {
  switch (block.type) {
    case 'space':
      return [[]];
    case 'heading':
      return wrap(inline(block.text, { tone: 'heading', bold: true }), width);
    case 'paragraph':
      return block.lines.flatMap((line) => wrap(inline(line), width, { first: indentation(block.indent) }));
    case 'item':
      return itemLines(block, width);
    case 'code':
      return codeLines(block, width);
    case 'table':
      return tableLines(block, width);
    case 'quote':
      return blockLines(block.blocks, width - 2).map((line) => [span('│ ', FAINT), ...under(FAINT, line)]);
    case 'rule':
      return [[span(repeated('─', Math.min(RULE_CELLS_MAX, width)), FAINT)]];
  }
}

function itemLines({ marker, lines, indent }: Extract<Block, { type: 'item' }>, width: number): Line[] {
  const box = /^\[([ xX])\] /.exec(lines[0]!);
  const sign = box ? (box[1] === ' ' ? say`☐` : say`☑`) : visible(marker);
  const before = indentation(indent);
  const rest = [...before, span(repeated(' ', widthOf(sign) + 1))];
  return lines.flatMap((line, at) => {
    const text = at === 0 && box ? line.slice(box[0].length) : line;
    return wrap(
      inline(text),
      width,
      at === 0 ? { first: [...before, span(say`${sign} `, FAINT)], rest } : { first: rest },
    );
  });
}

/** Renders code, which is not wrapped at spaces: it is cut at the end of the line, so that a copy has every character. */
function codeLines({ language, lines, indent }: Extract<Block, { type: 'code' }>, width: number): Line[] {
  const before = [span(repeated(' ', INDENT_CELLS * (indent + 1)))];
  const room = Math.max(INDENT_CELLS, width - INDENT_CELLS * (indent + 1));
  return lines.flatMap((line) => {
    const look: SpanStyle = language === 'diff' ? diffLook(line) : { tone: 'code' };
    return pieces(visible(line), room).map((piece): Line => (piece === '' ? [] : [...before, span(piece, look)]));
  });
}

function diffLook(line: string): SpanStyle {
  if (line.startsWith('+')) return { tone: 'added' };
  return line.startsWith('-') ? { tone: 'removed' } : FAINT;
}

/** Cuts a text into pieces of at most `cells` each. */
export function pieces(text: VisibleText, cells: number): VisibleText[] {
  const parts: VisibleText[] = [];
  let left = text;
  while (widthOf(left) > cells) {
    const part = cutVisible(left, cells) || sliceVisible(left, 0, left.codePointAt(0)! > 0xffff ? 2 : 1);
    parts.push(part);
    left = sliceVisible(left, part.length);
  }
  return [...parts, left];
}

const indentation = (levels: number): Span[] => (levels === 0 ? [] : [span(repeated(' ', INDENT_CELLS * levels))]);
