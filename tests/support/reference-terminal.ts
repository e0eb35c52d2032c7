/** Compares terminals with a reference terminal: xterm reads the bytes that they were sent, and the output of a session. */
import { execFileSync } from 'node:child_process';
import type { Client } from '@spool/client';
import { useWidths } from '@spool/screen';
import { type Terminal, until } from '@spool/testkit';
import xterm from '@xterm/headless';
import { expect } from 'vitest';
import { type Part, shownCells } from '../../packages/cli/src/testing/shown-cells.ts';

export interface ReferenceSize {
  readonly cols: number;
  readonly rows: number;
}

export interface Picture {
  readonly lines: readonly string[];
  readonly cursor: readonly [number, number];
  readonly isAlternate: boolean;
  readonly isCursorHidden: boolean;
  readonly modes: xterm.IModes;
}

/** A terminal that only displays. */
export class ReferenceTerminal {
  readonly #xterm: xterm.Terminal;

  constructor(size: ReferenceSize) {
    this.#xterm = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 5000 });
    useWidths(this.#xterm);
  }

  async feed(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#xterm.write(bytes, resolve));
  }

  resize(cols: number, rows: number): void {
    this.#xterm.resize(cols, rows);
  }

  get picture(): Picture {
    const { active } = this.#xterm.buffer;
    const { coreService } = (this.#xterm as unknown as { _core: { coreService: { isCursorHidden: boolean } } })._core;
    return {
      lines: this.lines(active.baseY),
      cursor: [active.cursorX, active.cursorY],
      isAlternate: active.type === 'alternate',
      isCursorHidden: coreService.isCursorHidden,
      modes: { ...this.#xterm.modes, synchronizedOutputMode: false },
    };
  }

  /** Returns every cell of a part of the screen, with its attributes. */
  cells(part: Part): string[][] {
    return shownCells(this.#xterm, part);
  }

  /** Returns the lines from a line of the scrollback on. */
  lines(from = 0): string[] {
    const { active } = this.#xterm.buffer;
    // If it gets narrower, xterm's alternate screen keeps the cells to the right of its window, until they are painted over.
    return Array.from({ length: active.length - from }, (_, at) =>
      active.getLine(from + at)!.translateToString(true, 0, this.#xterm.cols),
    );
  }
}

/** Returns a terminal that was sent these bytes. */
export async function seenBy(size: ReferenceSize, printed: string): Promise<ReferenceTerminal> {
  const glass = new ReferenceTerminal(size);
  await glass.feed(Buffer.from(printed, 'latin1'));
  return glass;
}

/** Returns the picture of a terminal that got all bytes from the first one, through every resize. */
export async function truth(client: Client, session: string, first: ReferenceSize): Promise<Picture> {
  const glass = new ReferenceTerminal(first);
  const { offset: end } = await client.get(session);
  const resizes: { offset: number; cols: number; rows: number }[] = [];
  for await (const mark of client.marks(session)) if (mark.type === 'resize' && mark.offset <= end) resizes.push(mark);
  const apply = (before: number): void => {
    while (resizes.length > 0 && resizes[0]!.offset <= before) {
      const { cols, rows } = resizes.shift()!;
      glass.resize(cols, rows);
    }
  };
  for await (const item of client.watch(session, { from: 0 })) {
    if (item.type === 'synced' || (item.type === 'output' && item.offset >= end)) break;
    if (item.type !== 'output') continue;
    const { offset, bytes } = item;
    for (let at = 0; at < bytes.length;) {
      apply(offset + at);
      const to = Math.min(bytes.length, (resizes[0]?.offset ?? Infinity) - offset);
      await glass.feed(bytes.subarray(at, to));
      at = to;
    }
  }
  apply(end);
  return glass.picture;
}

/** Waits until the attached terminal shows the expected picture; reports the last difference. */
export async function showsTruth(
  terminal: Terminal,
  size: ReferenceSize,
  client: Client,
  session: string,
  first: ReferenceSize,
): Promise<Picture> {
  let shown: Picture | undefined;
  let expected: Picture | undefined;
  try {
    await until(
      'the terminal shows the truth',
      async () => {
        expected = await truth(client, session, first);
        shown = (await seenBy(size, terminal.printed)).picture;
        return JSON.stringify(shown) === JSON.stringify(expected);
      },
      8000,
    );
  } catch {
    expect(shown).toEqual(expected);
  }
  return shown!;
}

/** Checks that a terminal has no remains of a session: neither its screen nor a mode. */
export function expectClean(glass: ReferenceTerminal): void {
  const { isAlternate, isCursorHidden, modes } = glass.picture;
  const fresh = new ReferenceTerminal({ cols: 80, rows: 24 }).picture;
  expect({ isAlternate, isCursorHidden, modes }).toEqual({
    isAlternate: false,
    isCursorHidden: false,
    modes: fresh.modes,
  });
}

/** Returns the settings of a terminal, as `stty` writes them. */
export function stty(terminal: Terminal): string {
  return execFileSync('stty', ['-F', terminal.path, '-g'], { encoding: 'utf8' }).trim();
}
