/** The addon's pump beside the way through JavaScript: the same bytes in, the same bytes out. Sockets stand in for the terminal. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeFrame, encodeInput, type Frame, FrameFlag, FrameReader, FrameType } from '@spool/protocol';
import { native, PUMP, PUMP_ARMED, PUMP_STATE } from '@spool/native';
import { DEFAULT_DETACH_KEYS, DRAWING_BYTES, TypedInput, ViewerFilter } from '@spool/vt';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const CHANNEL = 7;
const SESSION = 'abcdefghij';

class Rig implements Disposable {
  readonly filter = new ViewerFilter({ input: true });
  readonly typed = new TypedInput(DEFAULT_DETACH_KEYS);
  readonly state = new Float64Array(PUMP_STATE.length);
  readonly keys = new Uint8Array(4096);
  readonly data = new Uint8Array(4096);
  readonly kept = new Uint8Array(256);
  readonly frame = new Uint8Array(512);
  /** The events that JavaScript received. */
  readonly events: number[] = [];
  readonly #terminal = native.socketPair();
  readonly #socket = native.socketPair();
  readonly #reader = new FrameReader();
  readonly #pump;
  rearms = true;
  handed: Buffer[] = [];

  constructor() {
    this.#pump = native.createAttachPump(
      {
        terminal: this.#terminal[0],
        socket: this.#socket[0],
        state: this.state,
        keys: this.keys,
        data: this.data,
        kept: this.kept,
        frame: this.frame,
        isTyped: this.typed.isPlain,
        isShown: this.filter.isPlain,
        drawing: DRAWING_BYTES,
      },
      (what, from, to) => this.#take(what, from, to),
    );
    this.#pump.setPrefix(encodeInput(SESSION, new Uint8Array(0)));
    this.state[PUMP_STATE.channel] = CHANNEL;
    this.state[PUMP_STATE.outputMax] = 1e9;
    this.arm();
  }

  arm(): void {
    const keys = this.typed.isAtRest ? PUMP_ARMED.keys : 0;
    const output = this.filter.isAtRest ? PUMP_ARMED.output : 0;
    this.state[PUMP_STATE.armed] = keys | output;
  }

  type(bytes: Uint8Array): void {
    expect(native.write(this.#terminal[1], bytes)).toBe(bytes.length);
  }

  send(bytes: Uint8Array): void {
    expect(native.write(this.#socket[1], bytes)).toBe(bytes.length);
  }

  /** Returns the bytes that the other ends of the terminal and of the socket have received by now. */
  async shown(): Promise<Buffer> {
    return await this.#all(this.#terminal[1]);
  }

  async sent(): Promise<Frame[]> {
    const frames: Frame[] = [];
    new FrameReader().push(await this.#all(this.#socket[1]), (frame) => frames.push(frame));
    return frames;
  }

  [Symbol.dispose](): void {
    this.#pump.close();
    for (const fd of [...this.#terminal, ...this.#socket]) native.close(fd);
  }

  /** Waits until everything written has been taken: the loop has nothing to report. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 4 || this.#isWaiting(); turn++) await nextTurn();
  }

  #isWaiting(): boolean {
    return native.isReadable(this.#terminal[0]) || native.isReadable(this.#socket[0]);
  }

  async #all(fd: number): Promise<Buffer> {
    await this.settled();
    const room = new Uint8Array(1 << 20);
    const got = native.read(fd, room);
    return Buffer.from(room.subarray(0, Math.max(0, got)));
  }

  /** Acts as the attachment does: passes the bytes through filter and keyboard, and arms the pump again. */
  #take(what: number, from: number, to: number): void {
    this.events.push(what);
    const { state } = this;
    if (what === PUMP.keys) {
      this.handed.push(Buffer.from(this.keys.subarray(from, to)));
      for (const piece of this.typed.feed(this.keys.subarray(from, to))) {
        if (piece.type !== 'keys') continue;
        const at = state[PUMP_STATE.typedAt]!;
        state[PUMP_STATE.typedAt] = at + piece.bytes.length;
        const payload = encodeInput(SESSION, piece.bytes);
        native.write(this.#socket[0], encodeFrame(FrameType.input, CHANNEL, payload, at, FrameFlag.typed));
      }
    } else if (what === PUMP.data) {
      this.handed.push(Buffer.from(this.data.subarray(from, to)));
      this.#reader.push(this.data.subarray(from, to), ({ type, offset, payload }) => {
        if (type !== FrameType.output || offset !== state[PUMP_STATE.outputAt]) return;
        state[PUMP_STATE.outputAt] = offset + payload.length;
        native.write(this.#terminal[0], this.filter.feed(payload));
      });
    }
    if (this.rearms) this.arm();
  }
}

const output = (offset: number, bytes: Uint8Array, channel = CHANNEL, flags = 0): Uint8Array =>
  encodeFrame(FrameType.output, channel, bytes, offset, flags);
const text = (of: string): Buffer => Buffer.from(of, 'latin1');

test('[ATT-14] plain keys become one frame of typed input and plain output is shown, without JavaScript', async () => {
  using rig = new Rig();
  rig.type(text('ls\r'));
  const [frame] = await rig.sent();
  expect(frame).toMatchObject({ type: FrameType.input, flags: FrameFlag.typed, channel: CHANNEL, offset: 0 });
  expect(Buffer.from(frame!.payload)).toEqual(Buffer.from(encodeInput(SESSION, text('ls\r'))));
  rig.send(output(0, text('ls\r\n')));
  rig.send(output(4, text('\x1b[1;32ma\x1b[m\x1b[K')));
  expect(await rig.shown()).toEqual(text('ls\r\n\x1b[1;32ma\x1b[m\x1b[K'));
  expect(rig.events).toEqual([]);
  expect(rig.state[PUMP_STATE.outputAt]).toBe(18);
});

test('[ATT-14] keys are kept until the daemon confirms them, and no more than there is room for', async () => {
  using rig = new Rig();
  rig.type(text('ab'));
  await rig.settled();
  rig.type(text('c'));
  await rig.settled();
  expect(Buffer.from(rig.kept.subarray(0, rig.state[PUMP_STATE.keptBytes]))).toEqual(text('abc'));
  rig.send(encodeFrame(FrameType.typed, CHANNEL, undefined, 2));
  await rig.settled();
  expect([rig.state[PUMP_STATE.typedConfirmed], rig.state[PUMP_STATE.keptBytes]]).toEqual([2, 3]);
  rig.send(encodeFrame(FrameType.typed, CHANNEL, undefined, 3));
  await rig.settled();
  expect([rig.state[PUMP_STATE.typedConfirmed], rig.state[PUMP_STATE.keptBytes]]).toEqual([3, 0]);
  expect(rig.events).toEqual([]);
  rig.type(Buffer.alloc(300, 'x'));
  await rig.settled();
  expect(rig.events).toEqual([PUMP.keys]);
});

test.each<[string, Uint8Array]>([
  ['output of another channel', output(0, text('a'), CHANNEL + 1)],
  ['output that leaves a hole', output(1, text('a'))],
  ['output of stderr', output(0, text('a'), CHANNEL, FrameFlag.stderr)],
  ['a query', output(0, text('a\x1b[6n'))],
  ['half a sequence', output(0, text('a\x1b[3'))],
  ['a mode', output(0, text('\x1b[?25l'))],
  ['a sequence too long', output(0, text('\x1b[0000000A'))],
  ['characters beyond ASCII', output(0, Buffer.from('ä'))],
  ['an event', encodeFrame(FrameType.event, CHANNEL, text('{"type":"removed"}'))],
  ['a snapshot', encodeFrame(FrameType.snapshot, CHANNEL, text('a'))],
])('[ATT-14] %s is handed over as it came, and ends the rest', async (_, frame) => {
  using rig = new Rig();
  rig.rearms = false;
  rig.send(frame);
  await rig.settled();
  expect(rig.events).toEqual([PUMP.data]);
  expect(Buffer.concat(rig.handed)).toEqual(Buffer.from(frame));
  expect(rig.state[PUMP_STATE.armed]).toBe(0);
  rig.type(text('k'));
  await rig.settled();
  expect(rig.events).toEqual([PUMP.data, PUMP.keys]);
});

test.each<[string, string]>([
  ['Escape', '\x1b'],
  ['the detach key', '\x1c'],
  ['an arrow', 'a\x1b[A'],
])('[ATT-14] %s is handed over', async (_, keys) => {
  using rig = new Rig();
  rig.type(text(keys));
  await rig.settled();
  expect(rig.events).toEqual([PUMP.keys]);
  expect(Buffer.concat(rig.handed)).toEqual(text(keys));
});

test('[ATT-14] what looks like a frame inside another one that comes in parts is not taken for one', async () => {
  const inner = output(0, text('x'));
  const outer = encodeFrame(FrameType.event, CHANNEL, Buffer.concat([text('"'), inner, text('"')]));
  for (const cut of [1, 19, 20, 21, outer.length - 1]) {
    using rig = new Rig();
    rig.send(outer.subarray(0, cut));
    await rig.settled();
    rig.send(outer.subarray(cut));
    await rig.settled();
    rig.send(inner);
    expect(await rig.shown(), `cut at ${cut}`).toEqual(text('x'));
    expect(Buffer.concat(rig.handed)).toEqual(Buffer.from(outer));
  }
});

test('[ATT-14] output beyond the credit is handed over', async () => {
  using rig = new Rig();
  rig.state[PUMP_STATE.outputMax] = 3;
  rig.send(output(0, text('abc')));
  rig.send(output(3, text('d')));
  await rig.settled();
  expect(rig.events).toEqual([PUMP.data]);
});

test('[ATT-14] a terminal that takes no more: the rest of the output is handed over, and what follows comes after it', async () => {
  using rig = new Rig();
  rig.rearms = false;
  const piece = Buffer.alloc(4000, 'x');
  let offset = 0;
  while (rig.events.length === 0) {
    rig.arm();
    rig.send(output(offset, piece));
    offset += piece.length;
    await rig.settled();
  }
  expect(rig.events).toEqual([PUMP.terminalFull]);
  expect(rig.state[PUMP_STATE.outputAt]).toBe(offset);
  expect(rig.state[PUMP_STATE.armed]).toBe(0);
});

test('[ATT-14] the end of either side is reported once', async () => {
  const [terminal, far] = native.socketPair();
  const [socket, daemon] = native.socketPair();
  const events: number[] = [];
  const bytes = new Uint8Array(1024);
  const pump = native.createAttachPump(
    {
      terminal,
      socket,
      state: new Float64Array(PUMP_STATE.length),
      keys: bytes,
      data: bytes,
      kept: bytes,
      frame: bytes,
      isTyped: new Uint8Array(256),
      isShown: new Uint8Array(256),
      drawing: new Uint8Array(128),
    },
    (what) => events.push(what),
  );
  native.close(daemon);
  native.close(far);
  while (events.length < 2) await nextTurn();
  await nextTurn();
  expect(events.toSorted()).toEqual([PUMP.keysEnd, PUMP.dataEnd]);
  pump.close();
  native.close(terminal);
  native.close(socket);
});

/** Pieces of which a terminal's output is made, hostile ones among them. */
const PIECE = fc.oneof(
  fc.constantFrom('ls -l', '\r\n', '\x07', '\x0e', '\x1b[1;31m', '\x1b[K', '\x1b[12;40H', '\x1b[m', 'ä', '漢', '\x1b'),
  fc.constantFrom(
    '\x1b[6n',
    '\x1b[?1049h',
    '\x1b]0;t\x07',
    '\x1b]52;c;aGk=\x07',
    '\x1bP+q\x1b\\',
    '\x9b6n',
    '\x1b[5',
    ';',
  ),
  fc.constantFrom(
    '\x05',
    '\x7f',
    '\x00',
    '\xc2',
    '\x1b[>c',
    '\x1b[999999999A',
    '\x1b[38;5;200m',
    '\x1b#8',
    '\x1bc',
    '\x18',
  ),
  fc.string({ maxLength: 4 }),
);
const bytesOf = (pieces: readonly string[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece, /^[\x00-\xff]*$/.test(piece) ? 'latin1' : 'utf8')));
const RUNS = Number(process.env['SPOOL_TEST_ROUNDS'] ?? 10) * 3;

test('[ATT-14] any output in any pieces: the terminal is shown what the filter lets through', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(PIECE, { maxLength: 4 }), { maxLength: 12 }), async (writes) => {
      using rig = new Rig();
      const filter = new ViewerFilter({ input: true });
      const expected: Buffer[] = [];
      let offset = 0;
      for (const bytes of writes.map(bytesOf)) {
        if (bytes.length === 0) continue;
        rig.send(output(offset, bytes));
        offset += bytes.length;
        expected.push(Buffer.from(filter.feed(bytes)));
        await rig.settled();
      }
      expect(await rig.shown()).toEqual(Buffer.concat(expected));
      expect(rig.state[PUMP_STATE.outputAt]).toBe(offset);
    }),
    { numRuns: RUNS },
  );
});

const KEY = fc.constantFrom(
  'a',
  '\r',
  '\x03',
  '\x1b',
  '[',
  'A',
  '\x1c',
  '\x1b[I',
  '\x1b[200~',
  '\x1b[201~',
  '\x1b[6;1R',
  'ä',
);

test('[ATT-14] any keys in any pieces: the session is sent what the keyboard lets through, each once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(KEY, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), async (reads) => {
      using rig = new Rig();
      const typed = new TypedInput(DEFAULT_DETACH_KEYS);
      const expected: Uint8Array[] = [];
      for (const bytes of reads.map(bytesOf)) {
        rig.type(bytes);
        for (const piece of typed.feed(bytes)) if (piece.type === 'keys') expected.push(piece.bytes);
        await rig.settled();
      }
      const frames = await rig.sent();
      let offset = 0;
      const got: Uint8Array[] = [];
      for (const frame of frames) {
        expect(frame.offset).toBe(offset);
        const keys = frame.payload.subarray(1 + SESSION.length);
        got.push(new Uint8Array(keys));
        offset += keys.length;
      }
      expect(Buffer.concat(got)).toEqual(Buffer.concat(expected));
    }),
    { numRuns: RUNS },
  );
});
