/**
 * Cuts Markdown into blocks, line by line: headings, paragraphs, items of lists, code, tables, quotes, rules. Models write a part
 * of CommonMark and GitHub's tables; unlike in CommonMark, each line break is kept. A line of unknown form is a paragraph.
 */

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  /** `indent` is the number of lists around it. */
  | { readonly type: 'paragraph'; readonly lines: readonly string[]; readonly indent: number }
  | { readonly type: 'item'; readonly marker: string; readonly lines: readonly string[]; readonly indent: number }
  | { readonly type: 'code'; readonly language: string; readonly lines: readonly string[]; readonly indent: number }
  | { readonly type: 'table'; readonly rows: readonly (readonly string[])[]; readonly aligns: readonly Align[] }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'rule' }
  | { readonly type: 'space' };

export type Align = 'left' | 'right' | 'center';

const DEPTH_MAX = 6;
const COLUMNS_MAX = 40;

const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)])(\s+|$)(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const INDENTED = /^ {4}/;
const UNDERLINE = /^ {0,3}(=+|-{2,})\s*$/;

export function blocksOf(lines: readonly string[], depth = 0): Block[] {
  return new BlockReader(lines, depth).read();
}

/** A place between two lines where reading can start again: no later line changes the blocks before it. */
export interface ReadingPlace {
  readonly line: number;
  readonly blocks: number;
  /** Columns at which the contents of the open items begin. */
  readonly items: readonly number[];
}

/** Continues to read from a place; `before` are the blocks up to there. Returns all blocks, and the last such place. */
export function blocksFrom(
  lines: readonly string[],
  before: readonly Block[],
  place: ReadingPlace,
): { readonly blocks: readonly Block[]; readonly place: ReadingPlace } {
  const reader = new BlockReader(lines, 0, before.slice(0, place.blocks), place);
  const blocks = reader.read();
  return { blocks, place: reader.place };
}

export const START: ReadingPlace = { line: 0, blocks: 0, items: [] };

class BlockReader {
  readonly #lines: readonly string[];
  readonly #depth: number;
  readonly #blocks: Block[];
  /** The lines of the paragraph or item that may continue. */
  #open: string[] | null = null;
  /** Columns at which the contents of the open items begin. */
  #items: number[] = [];
  #at = 0;
  #place: ReadingPlace = START;
  /** Whether the last block is code by indentation: lines after a blank one may belong to it. */
  #isIndented = false;

  constructor(lines: readonly string[], depth: number, before: Block[] = [], place = START) {
    this.#lines = lines;
    this.#depth = depth;
    this.#blocks = before;
    this.#at = place.line;
    this.#items = [...place.items];
    this.#place = place;
  }

  get place(): ReadingPlace {
    return this.#place;
  }

  read(): Block[] {
    while (this.#at < this.#lines.length) this.#step(this.#lines[this.#at]!);
    return this.#blocks;
  }

  #step(line: string): void {
    if (line.trim() === '') return this.#blank();
    this.#isIndented = false;
    const fence = FENCE.exec(line);
    if (fence) return this.#code(fence);
    const heading = HEADING.exec(line);
    if (heading) return this.#add({ type: 'heading', level: heading[1]!.length, text: heading[2] ?? '' });
    if (this.#isUnderline(line)) return this.#underline(line);
    if (RULE.test(line)) return this.#add({ type: 'rule' });
    if (QUOTE.test(line) && this.#depth < DEPTH_MAX) return this.#quote();
    const item = ITEM.exec(line);
    if (item) return this.#item(item);
    if (this.#isTable()) return this.#table();
    if (this.#open === null && this.#items.length === 0 && INDENTED.test(line)) return this.#indentedCode();
    this.#text(line);
  }

  #blank(): void {
    this.#open = null;
    this.#at++;
    if (this.#blocks.at(-1)?.type !== 'space') this.#blocks.push({ type: 'space' });
    // The last line may still grow, so it does not certainly count as blank.
    if (!this.#isIndented && this.#at < this.#lines.length)
      this.#place = { line: this.#at, blocks: this.#blocks.length, items: [...this.#items] };
  }

  #add(block: Block): void {
    this.#blocks.push(block);
    this.#open = null;
    this.#items = [];
    this.#at++;
  }

  #code([, spaces, mark, info]: RegExpExecArray): void {
    const indent = this.#levelOf(spaces!.length);
    const isEnd = (line: string): boolean => {
      const text = line.trim();
      return text.length >= mark!.length && text === mark![0]!.repeat(text.length);
    };
    const lines: string[] = [];
    this.#at++;
    while (this.#at < this.#lines.length && !isEnd(this.#lines[this.#at]!)) {
      const line = this.#lines[this.#at++]!;
      const own = line.length - line.trimStart().length;
      lines.push(line.slice(Math.min(own, spaces!.length)));
    }
    this.#at++;
    this.#open = null;
    this.#blocks.push({ type: 'code', language: info!.trim().split(/\s/)[0]!, lines, indent });
  }

  #indentedCode(): void {
    const lines: string[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!;
      if (!INDENTED.test(line) && line.trim() !== '') break;
      lines.push(line.slice(4));
      this.#at++;
    }
    while (lines.at(-1)?.trim() === '') {
      lines.pop();
      this.#at--;
    }
    this.#blocks.push({ type: 'code', language: '', lines, indent: 0 });
    this.#isIndented = true;
  }

  #isUnderline(line: string): boolean {
    return this.#open?.length === 1 && this.#blocks.at(-1)?.type === 'paragraph' && UNDERLINE.test(line);
  }

  #underline(line: string): void {
    const [text] = this.#open!;
    this.#blocks.pop();
    this.#add({ type: 'heading', level: line.includes('=') ? 1 : 2, text: text! });
  }

  #quote(): void {
    const inner: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const found = QUOTE.exec(this.#lines[this.#at]!);
      if (!found) break;
      inner.push(found[1]!);
    }
    this.#blocks.push({ type: 'quote', blocks: blocksOf(inner, this.#depth + 1) });
    this.#open = null;
  }

  #item([, spaces, mark, gap, rest]: RegExpExecArray): void {
    const column = spaces!.length;
    while (this.#items.length > 0 && column < this.#items.at(-1)!) this.#items.pop();
    const indent = Math.min(DEPTH_MAX, this.#items.length);
    this.#items.push(column + mark!.length + Math.max(1, Math.min(4, gap!.length)));
    const lines = [rest!];
    this.#open = lines;
    this.#blocks.push({ type: 'item', marker: /^\d/.test(mark!) ? mark! : '•', lines, indent });
    this.#at++;
  }

  #text(line: string): void {
    const text = line.trimStart();
    this.#at++;
    if (this.#open) {
      this.#open.push(text);
      return;
    }
    const indent = this.#levelOf(line.length - text.length);
    const lines = [text];
    this.#open = lines;
    this.#blocks.push({ type: 'paragraph', lines, indent });
  }

  /** Returns the number of open items to which a line with so many leading spaces belongs; the others have ended. */
  #levelOf(spaces: number): number {
    while (this.#items.length > 0 && spaces < Math.min(2, this.#items.at(-1)!)) this.#items.pop();
    while (this.#items.length > 1 && spaces < this.#items.at(-1)!) this.#items.pop();
    return Math.min(DEPTH_MAX, this.#items.length);
  }

  #isTable(): boolean {
    const next = this.#lines[this.#at + 1];
    return (
      this.#open === null &&
      next !== undefined &&
      next.includes('-') &&
      this.#lines[this.#at]!.includes('|') &&
      DELIMITER.test(next)
    );
  }

  #table(): void {
    const aligns = cellsOf(this.#lines[this.#at + 1]!).map(alignOf);
    const rows = [cellsOf(this.#lines[this.#at]!)];
    this.#at += 2;
    while (this.#at < this.#lines.length && this.#lines[this.#at]!.includes('|'))
      rows.push(cellsOf(this.#lines[this.#at++]!));
    const columns = Math.min(COLUMNS_MAX, rows[0]!.length);
    this.#blocks.push({
      type: 'table',
      aligns: Array.from({ length: columns }, (_, at) => aligns[at] ?? 'left'),
      rows: rows.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? '')),
    });
    this.#open = null;
    this.#items = [];
  }
}

/** Splits a row such as `| a | b \| c |`. */
function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

function alignOf(cell: string): Align {
  if (!cell.endsWith(':')) return 'left';
  return cell.startsWith(':') ? 'center' : 'right';
}
