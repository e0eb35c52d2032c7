/** Output that a live viewer gets at once: the same as in turn, and never when something else comes first. */
import { native } from '@spool/native';
import { FdWatch } from '@spool/native/fd-watch';
import { encodeFrame, FrameType } from '@spool/protocol';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OutputPump } from '../children/output-pump.ts';
import { FakeClient } from '../testing/fake-client.ts';
import { FakeSession } from '../testing/fake-session.ts';
import { Watcher, type WatcherOptions } from './watcher.ts';

const SIZE = { cols: 80, rows: 24 };

/** A session whose child writes into a pipe, with a viewer that sees the present and another watcher beside it. */
class Rig {
  readonly session = new FakeSession();
  readonly relay = vi.spyOn(native, 'relay');
  readonly source = native.openPipe();
  readonly escrow = native.openPipe();
  readonly pump: OutputPump;
  readonly troubles: (string | null)[] = [];
  client!: FakeClient;
  other!: FakeClient;
  viewer!: Watcher;

  constructor() {
    const watch = new FdWatch();
    this.pump = new OutputPump({
      log: this.session.log,
      sources: [{ fd: this.source, stream: 'stdout', pipe: this.escrow }],
      watch,
      live: () => this.viewer,
      onOutput: () => {
        for (const watcher of this.session.watchers) watcher.pump();
        return false;
      },
      onTrouble: (trouble) => this.troubles.push(trouble),
      onReserve: () => {},
    });
    onTestFinished(() => {
      this.relay.mockRestore();
      watch[Symbol.dispose]();
      native.close(this.source);
      native.close(this.escrow);
    });
  }

  static async make({
    isViewer = true,
    ...options
  }: Partial<WatcherOptions> & { isViewer?: boolean } = {}): Promise<Rig> {
    const rig = new Rig();
    rig.client = await new FakeClient().hello();
    rig.other = await new FakeClient().hello();
    const { session } = rig.session;
    const common = { channel: 7, session, from: 0, creditBytes: 1 << 20 };
    const takeSnapshot = async (): Promise<never> => Promise.reject(new Error('none'));
    rig.viewer = new Watcher({
      ...common,
      connection: rig.client.connection,
      ...(isViewer && { takeSnapshot }),
      ...options,
    });
    const beside = new Watcher({ ...common, connection: rig.other.connection });
    rig.client.connection.watchers.set(7, rig.viewer);
    rig.other.connection.watchers.set(7, beside);
    rig.viewer.pump();
    beside.pump();
    await rig.client.read();
    await rig.other.read();
    return rig;
  }

  /** The child writes, and the keeper notices. Returns how often output was sent past the queue. */
  print(text: string): number {
    const before = this.relay.mock.calls.length;
    expect(native.write(this.source, Buffer.from(text))).toBe(Buffer.byteLength(text));
    this.pump.take();
    return this.relay.mock.calls.length - before;
  }
}

test('[ATT-15] what comes next is stored and sent before anything else is done about it, behind what waited for it', async () => {
  const rig = await Rig.make();
  let seen: readonly string[] = [];
  const advance = rig.session.log.advance.bind(rig.session.log);
  vi.spyOn(rig.session.log, 'advance').mockImplementation((bytes, at) => {
    // The bytes are in the file, and with the client; the log does not know of them yet.
    seen = [String(rig.session.log.end), String(rig.client.hasUnread)];
    advance(bytes, at);
  });
  rig.viewer.confirm(3);
  expect(rig.print('x')).toBe(1);
  expect(seen).toEqual(['0', 'true']);
  await rig.client.read();
  await rig.other.read();
  expect(rig.client.story.slice(1)).toEqual(['typed 3', 'output 0 x']);
  expect(rig.other.story.slice(1)).toEqual(['output 0 x']);
  expect(rig.session.log.read(0, 10)).toMatchObject({ type: 'bytes', from: 0, bytes: Buffer.from('x') });
});

test.each<[string, (rig: Rig) => void]>([
  ['it has no more credit', (rig) => void rig.print('y'.repeat(1000))],
  ['a resize is due', (rig) => rig.viewer.resized(100, 90, 30)],
  ['its socket has something to send', (rig) => rig.viewer.emit({ type: 'resized', offset: 0, ...SIZE })],
  ['it gets a snapshot', (rig) => void rig.viewer.snapshot()],
  ['it has left', (rig) => rig.viewer.close()],
])('[ATT-15] a viewer is not sent output at once while %s', async (_, block) => {
  const rig = await Rig.make({ creditBytes: 1000 });
  block(rig);
  expect(rig.print('x')).toBe(0);
});

test('[ATT-15] a watcher that needs every byte, and a viewer that is behind, are sent output in turn', async () => {
  const rig = await Rig.make({ isViewer: false });
  expect(rig.print('x')).toBe(0);
  const late = await Rig.make();
  late.session.log.append(Buffer.from('unseen'), 1);
  expect(late.print('x')).toBe(0);
  await late.client.read();
  expect(late.client.output.toString()).toBe('unseenx');
});

test('[ATT-15] after a flood the next turn is sent as one', async () => {
  const rig = await Rig.make();
  expect(rig.print('x'.repeat(5000))).toBe(1);
  await rig.client.read();
  expect(rig.print('y')).toBe(0);
  await rig.client.read();
  expect(rig.print('z')).toBe(1);
  await rig.client.read();
  expect(rig.client.output.toString()).toBe(`${'x'.repeat(5000)}yz`);
});

test('[ATT-15] a client that does not read: what its socket does not take waits, and comes in order', async () => {
  const rig = await Rig.make();
  let printed = '';
  for (let at = 0; rig.client.connection.idleFd !== -1; at++) {
    const piece = String(at).padStart(900, '.');
    rig.print(piece);
    printed += piece;
  }
  rig.print('the end');
  await rig.client.readUntil('all is read', () => rig.client.outputBytes === printed.length + 7);
  expect(rig.client.output.toString()).toBe(`${printed}the end`);
});

test('[ATT-15] [LOG-6] a log that refuses: nothing is sent that is not stored', async () => {
  const rig = await Rig.make();
  vi.spyOn(rig.session.log, 'sink').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  rig.print('lost');
  expect(rig.troubles).toHaveLength(1);
  await rig.client.read();
  expect(rig.client.output.length).toBe(0);
});

test('[ATT-15] any output, beside any acknowledgements, sizes and credit: the viewer gets what a watcher gets', async () => {
  const step = fc.oneof(
    fc.record({ print: fc.integer({ min: 1, max: 3000 }) }),
    fc.record({ confirm: fc.nat(9) }),
    fc.record({ resize: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ grant: fc.nat(4000) }),
    fc.record({ read: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const rig = await Rig.make({ creditBytes: 2000 });
      let credit = 2000;
      for (const [at, taken] of steps.entries()) {
        if ('print' in taken) rig.print(String(at % 10).repeat(taken.print));
        else if ('confirm' in taken) rig.viewer.confirm(taken.confirm);
        else if ('resize' in taken)
          for (const watcher of rig.session.watchers) watcher.resized(rig.session.log.end, taken.resize, 24);
        else if ('grant' in taken) rig.viewer.grant((credit += taken.grant));
        else await rig.client.read();
      }
      await rig.client.send(encodeFrame(FrameType.credit, 7, undefined, 1 << 20));
      await rig.client.read();
      await rig.other.read();
      expect(rig.client.output).toEqual(rig.other.output);
      expect(placed(rig.client)).toEqual(placed(rig.other));
    }),
    { numRuns: 60 },
  );
});

/**
 * Returns the events with the number of bytes before each. Of the sizes at one place, a client that was behind gets only the
 * last.
 */
function placed(client: FakeClient): readonly (readonly [number, string])[] {
  let bytes = 0;
  const events = new Map<number, string>();
  for (const { type, offset, payload } of client.frames) {
    if (type === FrameType.event) events.set(bytes, Buffer.from(payload).toString());
    if (type !== FrameType.output) continue;
    expect(offset).toBe(bytes);
    bytes += payload.length;
  }
  return [...events];
}
