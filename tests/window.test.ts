/** Tests viewers whose terminal has another size than the session, with a reference terminal. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client } from '@spool/client';
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { HOSTILE, inEightBits } from '@spool/vt/testing/hostile';
import { afterAll, expect, test } from 'vitest';
import { expectClean, ReferenceTerminal, seenBy, type ReferenceSize } from './support/reference-terminal.ts';

const SESSION = { cols: 200, rows: 50 };
const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 40, rows: 15 },
  { cols: 300, rows: 80 },
];
const MOMENTS = 200;
const AGREE_MS = 20_000;
/** The time limit: a moment takes a fifth of a second, and half of one on a busy machine. */
const MOMENTS_MS_MAX = 400_000;
const PREFIX = '\x1c';
const env = { PATH: process.env.PATH!, TERM: 'xterm-256color', LANG: 'C.UTF-8' };

const folder = mkdtempSync(`${tmpdir()}/spool-test-window-`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const TEXT = `${folder}/text`;
writeFileSync(
  TEXT,
  Array.from({ length: 300 }, (_, at) =>
    Array.from({ length: 14 }, (__, word) => ['größe', '漢字', 'line', '🤖', '─┼─'][word % 5]! + (at + word)).join(' '),
  ).join('\n'),
);

testNeeding(missingProgram('vim'))(
  '[SIZE-6] viewers of 80×24, 40×15 and 300×80 show at each of 200 moments exactly a window of a vim of 200×50',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const command = ['vim', '-u', 'NONE', '-N', '-i', 'NONE', '-n', '--cmd', 'set mouse=a nowrap', TEXT];
    const session = await client.run({ command, size: SESSION, env });
    const looked = new DaemonScreen(client, session.id);
    using viewers = new Viewers(daemon, session.id, SIZES);
    await seen(client, session.id, 'line2');
    for (const viewer of viewers.all) await viewer.sees('session is 200×50');
    const random = randomFrom(7);
    const places = new Set<string>();
    for (let moment = 0; moment < MOMENTS; moment++) {
      await client.write(session.id, VIM_KEYS[random(VIM_KEYS.length)]!);
      for (const place of await viewers.showTheSession(looked)) places.add(place);
    }
    expect(places.size).toBeGreaterThan(20);
    expect(await resizesOf(client, session.id)).toEqual([]);
    await viewers.leave();
    await client.kill(session.id);
  },
  MOMENTS_MS_MAX,
);

testNeeding(missingProgram('htop'))(
  '[SIZE-6] the same of an htop that never rests',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: ['htop', '-d', '1'], size: SESSION, env: { ...env, HOME: folder } });
    const looked = new DaemonScreen(client, session.id);
    using viewers = new Viewers(daemon, session.id, SIZES);
    await seen(client, session.id, 'PID');
    for (const viewer of viewers.all) await viewer.sees('session is 200×50');
    const { pid } = await client.get(session.id);
    const random = randomFrom(11);
    for (let moment = 0; moment < MOMENTS; moment++) {
      if (moment % 10 === 5) await client.write(session.id, HTOP_KEYS[random(HTOP_KEYS.length)]!);
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      process.kill(pid!, 'SIGSTOP');
      await viewers.showTheSession(looked);
      process.kill(pid!, 'SIGCONT');
    }
    expect(await resizesOf(client, session.id)).toEqual([]);
    await viewers.leave();
    await client.kill(session.id);
  },
  MOMENTS_MS_MAX,
);

test('[SIZE-40] keys that pan move the window and do nothing to the session; the others go to it; the mouse is at the right cell', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await recorder(client);
  const looked = new DaemonScreen(client, session);
  using viewers = new Viewers(daemon, session, [SIZES[0]!], []);
  const [viewer] = viewers.all;
  await viewer!.sees('session is 200×50');
  await viewers.showTheSession(looked);
  const moves: [keys: string, place: string][] = [
    [`${PREFIX}\x1b[B`, '1–80 × 2–24'],
    ['\x1bOC', '9–88 × 2–24'],
    ['jjj', '9–88 × 5–27'],
    ['l', '17–96 × 5–27'],
    ['h', '9–88 × 5–27'],
    ['k', '9–88 × 4–26'],
    ['\x1b[6~', '9–88 × 26–48'],
    ['\x1b[F', '121–200 × 26–48'],
    ['ignored', '121–200 × 26–48'],
    ['\x1b[5~', '121–200 × 4–26'],
    ['\x1b[H', '1–80 × 4–26'],
    ['\x1b[57420u', '1–80 × 5–27'],
  ];
  for (const [keys, place] of moves) {
    viewer!.terminal.type(keys);
    await viewer!.sees(place);
    await viewers.showTheSession(looked);
  }
  viewer!.terminal.type('\x1b');
  await viewer!.sees('1–80 × 1–23');
  viewer!.terminal.type('typed');
  await seen(client, session, 'typed');
  // The prefix twice sends it to the session, once.
  viewer!.terminal.type(`${PREFIX}${PREFIX}`);
  expect(await seen(client, session, '^\\')).toMatch(/\[1;1Htyped\^\\$/);

  await client.write(session, 'M'); // it enables its mouse, and moves away from its corner
  await viewer!.sees('79–158 × 25–47');
  await viewers.showTheSession(looked);
  viewer!.terminal.type('\x1b[<0;10;5M\x1b[<0;10;5m');
  await seen(client, session, '^[[<0;88;29M^[[<0;88;29m');
  viewer!.terminal.type('\x1b[<0;10;24M'); // our status line
  viewer!.terminal.type('\x1b[M!!!'); // in a form that was not requested
  viewer!.terminal.type('end');
  await seen(client, session, '29mend');
  expect(await resizesOf(client, session)).toEqual([]);
  await viewers.leave();
  await client.kill(session);
});

testNeeding(missingProgram('vim'))(
  '[SIZE-6, SIZE-41] bytes, a window, bytes again: whoever types or drags a window, nothing stray is left on either terminal',
  async () => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const command = ['vim', '-u', 'NONE', '-N', '-n', '-i', 'NONE', TEXT];
    const session = await client.run({ command, size: SESSION, env });
    const looked = new DaemonScreen(client, session.id);
    const [small, large] = [SIZES[0]!, { cols: 120, rows: 40 }];
    using viewers = new Viewers(daemon, session.id, [small, large], []);
    const [first, second] = viewers.all;
    await viewers.showTheSession(looked);
    /** Claims the size once the other viewer has paused [SIZE-7]; these keys may be pressed many times. */
    const claims = (viewer: typeof first, key: '0' | '$' | 'G', cols: number): Promise<void> =>
      until(`the session has ${cols} columns`, async () => {
        viewer!.terminal.type(key);
        return (await client.get(session.id)).size?.cols === cols;
      });
    for (const turn of [1, 2, 3]) {
      first!.terminal.type('j');
      await claims(first, '0', first!.size.cols);
      await viewers.showTheSession(looked);
      await claims(second, '$', large.cols);
      await viewers.showTheSession(looked);
      // The viewer whose size does not count becomes as large as the session, and larger, and small again.
      first!.resize(100 + turn, 30);
      await until('it has its way', async () => (await client.get(session.id)).size?.cols === 100 + turn);
      await viewers.showTheSession(looked);
      await claims(second, 'G', large.cols);
      await viewers.showTheSession(looked);
    }
    await client.update(session.id, { sizePolicy: 'fixed' });
    for (const size of [large, { cols: 130, rows: 45 }, { cols: 44, rows: 5 }, large]) {
      first!.resize(size.cols, size.rows);
      await viewers.showTheSession(looked);
    }
    await viewers.leave();
    await client.kill(session.id);
  },
);

test('[SIZE-6] a window leaves the scrollback alone, and what was on the terminal before is back afterwards', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await recorder(client);
  await client.write(session, 'something of the session');
  await seen(client, session, 'session');
  const script = `echo before; ${SPOOL} attach -r ${session}; echo "shell back $?"; sleep 100`;
  using terminal = new Terminal(['sh', '-c', script], daemon.env, SIZES[0]);
  await terminal.sees('something of the session');
  terminal.type(PREFIX);
  await terminal.sees('shell back 0');
  const glass = await seenBy(SIZES[0]!, terminal.printed);
  expectClean(glass);
  const [before, ...after] = glass.lines().filter((line) => line !== '');
  expect(before).toBe('before');
  expect(after.at(-1)).toBe('shell back 0');
  expect(after.join('\n')).not.toContain('something');
  await client.kill(session);
});

test('[ATT-8, SIZE-6] hostile output reaches nothing of a terminal that shows a window, nor, by its replies, the session', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const evil = HOSTILE.flatMap((sequence) => [
    Buffer.from(sequence, 'latin1'),
    inEightBits(sequence, 'bytes'),
    inEightBits(sequence, 'characters'),
  ]);
  writeFileSync(`${folder}/evil`, Buffer.concat(evil.flatMap((bytes) => [bytes, Buffer.from('\x18\x1b\\')])));
  const command = [
    'sh',
    '-c',
    `stty raw -echo; head -c 1 >/dev/null; cat ${folder}/evil; printf '\\033cdone>'; exec cat >${folder}/typed`,
  ];
  const session = await client.run({ command, size: SESSION, env, sizePolicy: 'fixed' });
  using viewers = new Viewers(daemon, session.id, [SIZES[0]!], []);
  const [viewer] = viewers.all;
  viewer!.terminal.answersQueries();
  await viewer!.sees('session is 200×50');
  const since = viewer!.terminal.printed.length;
  viewer!.terminal.type('x');
  await viewer!.sees('done>');
  const allowed =
    /^(?:[^\x00-\x1f\x7f]|\x1b\[[\d;:]*m|\x1b\[\d+(?:;\d+)?H|\x1b\[\d*[CXK]|\x1b\]8;;(?:https?:\/\/[\x21-\x7e]+)?\x1b\\|\x1b\]2;[^\x00-\x1f\x7f]*\x1b\\|\x1b\[\?(?:2026|25|7|1|5|12|66|67|1000|1002|1003|9|1004|1006|2004|2031)[hl]|\x1b[=>]|\x0f|\x1b\[>4(?:;\d)?m|\x1b\[[<>]\d+u|\x1b\[\d q|\x1b\[20[hl])*$/;
  const left = viewer!.terminal.printed.slice(since).replace(allowed, '');
  expect(left).toBe('');
  expect(Buffer.from(viewer!.terminal.printed.slice(since), 'latin1').toString()).not.toMatch(/[\x80-\x9f]/);
  viewer!.terminal.type('after');
  const typed = (): string => readFileSync(`${folder}/typed`, 'latin1');
  await until('it has arrived', () => typed().includes('after'));
  expect(typed()).not.toMatch(/XTerm\(1\)|9;9R|99;99t|2004;4\$y/);
  await viewers.leave();
  await client.kill(session.id);
});

/** Starts a session that shows its input, with controls as `cat -v` writes them; `M` makes it request the mouse. */
async function recorder(client: Client): Promise<string> {
  const script = `
    process.stdin.setRawMode(true);
    process.stdin.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (text === 'M') process.stdout.write('\\x1b[?1000h\\x1b[?1006h\\x1b[45;150H');
      else process.stdout.write(text.replace(/[\\x00-\\x1f]/g, (c) => '^' + String.fromCharCode(c.charCodeAt(0) + 64)));
    });
    process.stdout.write('\\x1b[2J\\x1b[1;1H');`;
  const command = [process.execPath, '-e', script];
  const session = await client.run({ command, size: SESSION, env, sizePolicy: 'fixed' });
  await seen(client, session.id, '[2J');
  return session.id;
}

async function resizesOf(client: Client, session: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const { offset } = await client.get(session);
  for await (const mark of client.marks(session)) if (mark.type === 'resize' && mark.offset <= offset) found.push(mark);
  return found;
}

/** The session's own screen: that of a terminal of its size, from the daemon. */
class DaemonScreen {
  readonly #client: Client;
  readonly #session: string;

  constructor(client: Client, session: string) {
    this.#client = client;
    this.#session = session;
  }

  /** Returns the screen, with its size and cursor. */
  async now(): Promise<Truth> {
    const screen = await this.#client.screen(this.#session, { format: 'snapshot' });
    const size = { cols: screen.cols, rows: screen.rows };
    const glass = new ReferenceTerminal(size);
    await glass.feed(Buffer.from(screen.content, 'base64'));
    return { glass, size };
  }
}

/** Runs `spool attach` on its own terminal. */
class Viewer {
  readonly terminal: Terminal;
  size: ReferenceSize;
  #glass: ReferenceTerminal;
  #looked = 0;

  constructor(daemon: TestDaemon, session: string, size: ReferenceSize, flags: readonly string[]) {
    this.terminal = new Terminal([SPOOL, 'attach', ...flags, session], daemon.env, size);
    this.size = size;
    this.#glass = new ReferenceTerminal(size);
  }

  resize(cols: number, rows: number): void {
    this.size = { cols, rows };
    this.terminal.resize(cols, rows);
    this.#glass.resize(cols, rows);
  }

  async look(): Promise<ReferenceTerminal> {
    const { printed } = this.terminal;
    const fresh = printed.slice(this.#looked);
    this.#looked = printed.length;
    await this.#glass.feed(Buffer.from(fresh, 'latin1'));
    return this.#glass;
  }

  async sees(text: string): Promise<void> {
    let lines: readonly string[] = [];
    await until(`the viewer sees ${text}`, async () => {
      ({ lines } = (await this.look()).picture);
      return lines.some((line) => line.includes(text));
    }).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it shows\n${lines.join('\n')}`, { cause: error });
    });
  }
}

class Viewers implements Disposable {
  readonly all: readonly Viewer[];

  constructor(daemon: TestDaemon, session: string, sizes: readonly ReferenceSize[], flags: readonly string[] = ['-r']) {
    this.all = sizes.map((size) => new Viewer(daemon, session, size, flags));
  }

  /**
   * Checks that each viewer shows the session's screen, or the part that its last line names; and the cursor in its place.
   * Returns those parts.
   */
  async showTheSession(looked: DaemonScreen): Promise<string[]> {
    let found: { shown: unknown; expected: unknown; part: string }[] = [];
    const isEqual = async (): Promise<boolean> => {
      const truth = await looked.now();
      found = await Promise.all(this.all.map(async (viewer) => compare(await viewer.look(), viewer.size, truth)));
      return found.every(({ shown, expected }) => JSON.stringify(shown) === JSON.stringify(expected));
    };
    await until('every viewer shows the session', isEqual, AGREE_MS).catch(() => {
      for (const { shown, expected } of found) expect(shown).toEqual(expected);
    });
    return found.map(({ part }) => part);
  }

  async leave(): Promise<void> {
    for (const { terminal, size } of this.all) {
      terminal.type(PREFIX);
      expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
      expectClean(await seenBy(size, terminal.printed));
    }
  }

  [Symbol.dispose](): void {
    for (const { terminal } of this.all) terminal[Symbol.dispose]();
  }
}

interface Truth {
  readonly glass: ReferenceTerminal;
  readonly size: ReferenceSize;
}

function compare(
  glass: ReferenceTerminal,
  own: ReferenceSize,
  truth: Truth,
): { shown: unknown; expected: unknown; part: string } {
  const { picture } = glass;
  const status = picture.lines.at(-1) ?? '';
  const named = /^\[session is \d+×\d+(?: · (\d+)–(\d+) × (\d+)–(\d+))?/.exec(status);
  const hasStatus = named !== null && own.rows > 3 && own.rows !== truth.size.rows;
  const [left = 0, , top = 0] = (named ?? []).slice(1).map((number) => Number(number ?? 1) - 1);
  const rows = Math.min(own.rows - (hasStatus ? 1 : 0), truth.size.rows - top);
  const cols = Math.min(own.cols, truth.size.cols - left);
  const { cursor, isCursorHidden } = truth.glass.picture;
  const [x, y] = [cursor[0] - left, cursor[1] - top];
  const isSeen = !isCursorHidden && x >= 0 && x <= cols && y >= 0 && y < rows;
  return {
    part: `${own.cols} ${left},${top}`,
    shown: { cells: glass.cells({ top: 0, left: 0, rows, cols }), cursor: picture.isCursorHidden || picture.cursor },
    expected: { cells: truth.glass.cells({ top, left, rows, cols }), cursor: isSeen ? [Math.min(x, cols), y] : true },
  };
}

const VIM_KEYS: readonly string[] = [
  'j', '5j', 'k', '9k', 'w', '7w', 'b', '$', '0', 'G', 'gg', '50%', 'zz', 'zt', '\x06', '\x02', '\x04', '\x15', 'dd', 'u', 'p',
  'ix\x1b', 'A und 漢字 🤖 mehr\x1b', 'oeine neue Zeile\x1b', ':set number!\r', ':set wrap!\r', ':vsplit\r', ':split\r', '\x17w', '\x17o',
  '/größe\r', 'n', 'v10l', '\x1b', 'J', '100|', '199|', '~',
]; // prettier-ignore

const HTOP_KEYS: readonly string[] = ['\x1b[B', '\x1b[6~', 't', 'I', '\x1b[H', 'M', 'P', 'H'];

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
