/** A QR code in the terminal: two modules in each character, dark on light whatever the colours of the terminal are. */
import { encode } from 'uqr';

/** The standard requires four; scanners need only two, and a link then fits into 24 rows. */
const BORDER_MODULES = 2;

const DARK_ON_LIGHT = '\x1b[38;5;16;48;5;231m';
const RESET = '\x1b[0m';

/** Returns its lines; null if they do not fit. Without colours it is made for a dark background. */
export function qrLines(
  text: string,
  { columns, rows, hasColour }: { readonly columns: number; readonly rows: number; readonly hasColour: boolean },
): readonly string[] | null {
  const { data, size } = encode(text, { ecc: 'L', border: BORDER_MODULES });
  if (size > columns || Math.ceil(size / 2) + 1 > rows) return null;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const cells = Array.from({ length: size }, (_, x) => {
      const [upper, lower] = [data[y]![x] === hasColour, (data[y + 1]?.[x] ?? false) === hasColour];
      return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    });
    lines.push(hasColour ? `${DARK_ON_LIGHT}${cells.join('')}${RESET}` : cells.join(''));
  }
  return lines;
}
