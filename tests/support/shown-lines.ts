/** Reads the lines of a terminal and its scrollback from the bytes that it was sent. */
import { ScreenModel } from '@spool/screen';

/** The tests print no longer line. */
const LINE_COLUMNS_MAX = 200;

/** Returns the lines of a terminal and its scrollback; wrapped rows are one line. */
export function shownLines(printed: string, size: { cols: number; rows: number }): string[] {
  // A busy machine lets the session print on for long: the model has room for every line, each wrapped.
  const rows = printed.split('\n').length * Math.ceil(LINE_COLUMNS_MAX / size.cols) + size.rows;
  using model = new ScreenModel(size, { scrollback: rows });
  model.write(Buffer.from(printed, 'latin1'));
  const lines: string[] = [];
  for (const { isWrapped, runs } of model.lines(-rows)) {
    const text = runs.map((run) => run.text).join('');
    if (isWrapped) lines.push(lines.pop()! + text);
    else lines.push(text);
  }
  return lines;
}
