import type { Requester } from '@spool/client/driver';
import { SpoolError } from '@spool/protocol';
import { expect, test } from 'vitest';
import { DriverPace } from './pace.ts';
import { WireWriter, type WireWriterOptions } from './wire-writer.ts';

interface WrittenInput {
  readonly key: string;
  readonly base64: string;
}

/** Returns a keeper that accepts bytes; `refuse` returns the error for the next request, or null. */
function keeper(refuse: (op: string, ask: WrittenInput) => string | null = () => null): {
  readonly requester: Requester;
  readonly keys: string[];
  text(): string;
  closed: boolean;
} {
  const bytes: Buffer[] = [];
  const made = {
    keys: [] as string[],
    closed: false,
    text: () => Buffer.concat(bytes).toString(),
    requester: {
      async once(op: string, ask: WrittenInput) {
        const code = refuse(op, ask);
        if (code !== null) throw new SpoolError(code as 'INPUT_CLOSED', {});
        if (op === 'closeInput') made.closed = true;
        else {
          made.keys.push(ask.key);
          bytes.push(Buffer.from(ask.base64, 'base64'));
        }
        return {};
      },
    } as unknown as Requester,
  };
  return made;
}

function writerTo(requester: Requester, more: Partial<WireWriterOptions> = {}): WireWriter {
  return new WireWriter({ requester, session: 's', pace: new DriverPace(() => {}), onInput: () => {}, ...more });
}

test('[EVT-6] a line of any length arrives whole and in order, in pieces that fit a request', async () => {
  const { requester, keys, text } = keeper();
  const writer = writerTo(requester);
  const long = 'é'.repeat(400_000);
  writer.write({ offset: 10, lines: ['first', long, 'last'], closes: false });
  await writer.settled();
  expect(text()).toBe(`first\n${long}\nlast\n`);
  expect(keys.length).toBeGreaterThan(3);
  expect(new Set(keys).size).toBe(keys.length); // a repeated key is not written
});

test('[EVT-6] a line that finds the queue full is written later, once, and what follows waits for it', async () => {
  let full = 3;
  const { requester, text } = keeper(() => (full-- > 0 ? 'INPUT_QUEUE_FULL' : null));
  const writer = writerTo(requester);
  writer.write({ offset: 1, lines: ['one'], closes: false });
  writer.write({ offset: 2, lines: ['two'], closes: false });
  expect(writer.writtenBefore(3)).toBe(1);
  await writer.settled();
  expect(text()).toBe('one\ntwo\n');
  expect(writer.writtenBefore(3)).toBe(3);
});

test('[EVT-6] the input is closed after the lines of its record, and nothing is written to an agent that is gone', async () => {
  const open = keeper();
  const writer = writerTo(open.requester);
  writer.write({ offset: 1, lines: ['bye'], closes: true });
  await writer.settled();
  expect([open.text(), open.closed]).toEqual(['bye\n', true]);
  for (const code of ['SESSION_EXITED', 'INPUT_CLOSED']) {
    let asked = 0;
    const gone = keeper(() => (asked++, code));
    const late = writerTo(gone.requester);
    late.write({ offset: 1, lines: ['a', 'b'], closes: true });
    await late.settled();
    expect([gone.text(), asked]).toEqual(['', 1]);
  }
});

test('[EVT-6] the same record written again has the same keys, so that the keeper writes nothing twice', async () => {
  const [one, two] = [keeper(), keeper()];
  for (const { requester } of [one, two]) {
    const writer = writerTo(requester);
    writer.write({ offset: 7, lines: ['a', 'x'.repeat(600 * 1024)], closes: false });
    await writer.settled();
  }
  expect(one.keys).toEqual(two.keys);
});

test('[EVT-13] an input that the agent has closed is reported once; one that we have closed is not', async () => {
  const said: string[] = [];
  const gone = keeper(() => 'INPUT_CLOSED');
  const writer = writerTo(gone.requester, { onInput: (state) => said.push(state) });
  writer.write({ offset: 1, lines: ['a', 'b'], closes: false });
  await writer.settled();
  expect(said).toEqual(['closed']);
  for (const isOurs of [true, false]) {
    const late = writerTo(keeper(() => 'INPUT_CLOSED').requester, { onInput: (state) => said.push(state) });
    if (isOurs) late.noteClosed();
    late.write({ offset: 1, lines: ['a'], closes: !isOurs });
    await late.settled();
  }
  const ended = writerTo(keeper(() => 'SESSION_EXITED').requester, { onInput: (state) => said.push(state) });
  ended.write({ offset: 1, lines: ['a'], closes: false });
  await ended.settled();
  expect(said).toEqual(['closed']);
});

test('[EVT-13] an agent that does not read its input is reported, and so is that it reads again', async () => {
  const said: string[] = [];
  const stuck = Promise.withResolvers<void>();
  const { requester, text } = keeper(() => (said.length === 0 ? 'INPUT_QUEUE_FULL' : null));
  const writer = writerTo(requester, {
    onInput: (state) => {
      said.push(state);
      if (state === 'stuck') stuck.resolve();
    },
    stuckMs: 50,
  });
  writer.write({ offset: 1, lines: ['one'], closes: false });
  await stuck.promise;
  await writer.settled();
  expect([said, text()]).toEqual([['stuck', 'open'], 'one\n']);
});
