import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TYPED_BYTES_MAX, TypedStream } from './typed-stream.ts';

/** The other end: accepts bytes that continue its text, and can forget unconfirmed ones. */
class End {
  text = '';
  frames = 0;

  readonly send = (offset: number, bytes: Uint8Array): void => {
    this.frames++;
    expect(offset).toBeLessThanOrEqual(this.text.length);
    this.text = this.text.slice(0, offset) + Buffer.from(bytes).toString('latin1');
  };
}

test('any mix of typing, confirming and breaking gives what was typed, once', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('type' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
      fc.record({ do: fc.constant('confirm' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ do: fc.constant('break' as const), lost: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ do: fc.constant('back' as const) }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (plan) => {
      const stream = new TypedStream();
      const end = new End();
      let typed = '';
      let confirmed = 0;
      for (const step of plan) {
        if (step.do === 'type') {
          typed += Buffer.from(step.bytes).toString('latin1');
          void stream.type(step.bytes);
        } else if (step.do === 'confirm') {
          confirmed += Math.floor((end.text.length - confirmed) * step.part);
          stream.confirm(confirmed);
        } else if (step.do === 'break') {
          stream.pause();
          // Unconfirmed bytes may be lost with the keeper that had them.
          end.text = end.text.slice(0, confirmed + Math.floor((end.text.length - confirmed) * (1 - step.lost)));
        } else {
          confirmed = end.text.length; // reporting an offset confirms it
          expect(stream.resume(confirmed, end.send)).toBe(true);
        }
      }
      stream.resume(end.text.length, end.send);
      expect(end.text).toBe(typed);
      stream.confirm(typed.length);
      expect(stream.unconfirmedBytes).toBe(0);
    }),
  );
});

test('many keys that nobody confirms are kept in few pieces', async () => {
  const stream = new TypedStream();
  for (let key = 0; key < 10_000; key++) await stream.type(Uint8Array.of(key & 127));
  const end = new End();
  stream.resume(0, end.send);
  expect([end.text.length, end.frames]).toEqual([10_000, Math.ceil(10_000 / 1024)]);
});

test('beyond its room typing waits; the end lets all go', async () => {
  const stream = new TypedStream();
  await stream.type(new Uint8Array(TYPED_BYTES_MAX));
  let isTaken = false;
  const waiting = stream.type(new Uint8Array(10)).then(() => (isTaken = true));
  const settled = stream.settled();
  await Promise.resolve();
  expect([isTaken, stream.unconfirmedBytes]).toEqual([false, TYPED_BYTES_MAX]);
  stream.end();
  await waiting;
  await settled;
  await stream.type(Uint8Array.of(1));
  expect(stream.unconfirmedBytes).toBe(0);
});

test('one who knows less than was confirmed, or more than was typed, is not typed at again', () => {
  for (const known of [0, 9]) {
    const stream = new TypedStream();
    const end = new End();
    stream.resume(0, end.send);
    void stream.type(Buffer.from('abc'));
    stream.confirm(2);
    stream.pause();
    end.text = 'x'.repeat(known);
    expect(stream.resume(known, end.send)).toBe(false);
    void stream.type(Buffer.from('new'));
    expect(end.text).toBe(`${'x'.repeat(known)}new`);
  }
});
