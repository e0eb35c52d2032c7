/**
 * Compares golden captures: the screen of `spool` on a real terminal of a given size, read by our own screen model, with a file
 * in tests/golden. `npm run golden` writes the files again; check each of them before you commit it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ScreenModel } from '@spool/screen';
import { Terminal, type TestDaemon, until } from '@spool/testkit';
import { expect } from 'vitest';

export interface GoldenSize {
  readonly cols: number;
  readonly rows: number;
}

const FOLDER = fileURLToPath(new URL('../golden', import.meta.url));
const IS_UPDATING = process.env['UPDATE'] === '1';
/** The time for which a capture must not change before it is written. */
const STILL_MS = 1500;
const SEE_MS = 30_000;
/** The height of a capture: the output of a verb may be longer than the terminal, and the capture contains all of it. */
const PRINTED_ROWS = 200;
const END = 'end-of-capture';

/** Checks the whole output of a verb. */
export async function expectPrinted(name: string, verb: string, daemon: TestDaemon, size: GoldenSize): Promise<void> {
  using terminal = new Terminal(['sh', '-c', `${verb}; printf '\\n${END}'; sleep 1000`], daemon.env, size);
  await terminal.sees(END);
  const text = picture(terminal, { cols: size.cols, rows: PRINTED_ROWS });
  await expectGolden(name, size, () => text.slice(0, text.indexOf(END)).trimEnd());
}

/** Checks a painted screen; `keys` are typed once it shows `after`. */
export async function expectScreen(
  name: string,
  command: readonly string[],
  daemon: TestDaemon,
  size: GoldenSize,
  { after, keys = '' }: { readonly after: string; readonly keys?: string },
): Promise<void> {
  using terminal = new Terminal(command, daemon.env, size);
  await until(`it shows ${after}`, () => picture(terminal, size).includes(after), SEE_MS);
  if (keys !== '') terminal.type(keys);
  await expectGolden(name, size, () => picture(terminal, size));
}

async function expectGolden(name: string, { cols, rows }: GoldenSize, look: () => string): Promise<void> {
  const file = `${FOLDER}/${name}-${cols}x${rows}.txt`;
  if (IS_UPDATING) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, `${await still(look)}\n`);
    return;
  }
  const wanted = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
  await until(`it looks like ${file}`, () => look() === wanted, SEE_MS).catch(() => expect(look()).toBe(wanted));
}

async function still(look: () => string): Promise<string> {
  let last = look();
  let since = performance.now();
  await until('it stands still', () => {
    const now = look();
    if (now !== last) since = performance.now();
    last = now;
    return performance.now() - since > STILL_MS;
  });
  return last;
}

/** Returns the text of the terminal's screen. Ages and durations of seconds are replaced by a sign, in the same width. */
function picture(terminal: Terminal, size: GoldenSize): string {
  const model = new ScreenModel(size, { scrollback: 0 });
  try {
    model.write(Buffer.from(terminal.printed, 'latin1'));
    const lines = model.plainLines().map((line) => line.trimEnd());
    return lines
      .join('\n')
      .trimEnd()
      .replaceAll(AGE, (age) => '#s'.padStart(age.length));
  } finally {
    model.dispose();
  }
}

const AGE = /(?<= )(?:\d{1,2}|\d\.\d)s(?=[ \n]|$)/g;
