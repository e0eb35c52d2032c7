/** Tests output as text for clients of any kind: the messages in their form on the wire. */
import { BareClient, outputOf, TestDaemon, type ReceivedMessage, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };

test('[OUT-5] SUBSCRIBE_WORKER_OUTPUT, WORKER_OUTPUT with agent, data, ts and our offset, UNSUBSCRIBE_WORKER_OUTPUT', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [
    'sh',
    '-c',
    "read -r x; printf 'grün \\360\\237\\230'; sleep 0.2; printf '\\200 fertig\\n'; read -r y",
  ];
  const { id } = await client.run({ command, name: 'worker', size: { cols: 80, rows: 24 }, env });
  const { socket } = await client.status();
  const bare = await BareClient.connect(socket);
  await bare.answer(7, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: 'worker' });
  expect((await client.get(id)).watchers).toBe(1);
  await client.write(id, 'go\r');
  const outputs = (): ReceivedMessage[] => bare.told(7).filter(({ type }) => type === 'WORKER_OUTPUT');
  await until('all of it came', () =>
    outputs()
      .map(({ data }) => data)
      .join('')
      .includes('fertig'),
  );
  const joined = outputs()
    .map(({ data }) => data)
    .join('');
  expect(joined).toContain('grün 😀 fertig');
  expect(joined).not.toContain('\ufffd');
  const [first] = outputs();
  expect(first).toMatchObject({ agent: 'worker', ts: expect.any(Number), offset: expect.any(Number) });
  // They are contiguous.
  outputs().reduce(
    (end, each) => {
      if (end !== undefined) expect(each['offset']).toBe(end);
      return each['end'] as number;
    },
    undefined as number | undefined,
  );

  bare.ask(8, { op: 'UNSUBSCRIBE_WORKER_OUTPUT', channel: 7 });
  await until('nobody watches', async () => (await client.get(id)).watchers === 0);
  const heard = outputs().length;
  await client.write(id, 'end\r');
  await client.wait(id);
  await bare.answer(9, { op: 'status' });
  expect(outputs()).toHaveLength(heard);

  bare.ask(10, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, from: 0, chunking: 'line', ansi: 'strip' });
  await bare.hears(10, 'end');
  const past = bare.told(10).filter(({ type }) => type === 'WORKER_OUTPUT');
  expect(past.map(({ data }) => data).join('')).toBe((await outputOf(client, id)).toString().replaceAll('\r\n', '\n'));
  bare.close();
});

test('[OUT-2] [OUT-5] on pipes each stream has its own text: no character is broken by the other, and stderr is named', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // Halves of é (stdout) and € (stderr) in turn.
  const halves = String.raw`printf 'x\303'; read -r _; printf 'e\342' >&2; read -r _; printf '\251y\n'; read -r _; printf '\202\254\n' >&2`;
  const { id } = await client.run({ command: ['sh', '-c', halves], size: null, env });
  await until('the first half is stored', async () => (await client.get(id)).offset === 2);
  for (const end of [4, 7]) {
    await client.write(id, 'go\n');
    await until('the next half is stored', async () => (await client.get(id)).offset === end);
  }
  await client.write(id, 'go\n');
  await client.wait(id);
  const bare = await BareClient.connect((await client.status()).socket);
  bare.ask(5, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, from: 0 });
  await bare.hears(5, 'end');
  const told = bare.told(5).filter(({ type }) => type === 'WORKER_OUTPUT');
  expect(told.map(({ stream, data }) => [stream, data])).toEqual([
    [undefined, 'x'],
    ['stderr', 'e'],
    [undefined, 'éy\n'],
    ['stderr', '€\n'],
  ]);
  bare.close();
});

test('[OUT-6] of a line its end is waited for, after a pause too', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', "read -r _; printf 'half '; read -r _; printf 'line\\nrest'; exec cat"];
  const { id } = await client.run({ command, size: null, env });
  const bare = await BareClient.connect((await client.status()).socket);
  bare.ask(5, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, chunking: 'line', flushMs: 60_000 });
  bare.ask(6, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, chunking: 'line', flushMs: 1 });
  await until('both are subscribed', async () => (await client.get(id)).watchers === 2);
  const told = (by: number): unknown[] =>
    bare
      .told(by)
      .filter(({ type }) => type === 'WORKER_OUTPUT')
      .map(({ data }) => data);
  await client.write(id, 'go\n');
  await until('who waits for nothing has the half', () => told(6).length === 1);
  await client.write(id, 'go\n');
  await until('who waits has the line', () => told(5).length === 1);
  await until('who waits for nothing has the rest', () => told(6).join('') === 'half line\nrest');
  expect(told(5)).toEqual(['half line\n']);
  await client.stop(id);
  bare.close();
});

test('[OUT-5] [SLOW-1] a subscriber that does not read slows nobody, and hears everything once it reads', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['sh', '-c', 'stty -echo; read -r x; head -c 20000000 /dev/zero | tr "\\0" x; echo; echo END'],
    size: { cols: 80, rows: 24 },
    env,
  });
  const stuck = await BareClient.connect((await client.status()).socket);
  await stuck.answer(1, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, from: 0 });
  stuck.pause();
  await client.write(id, 'go\r');
  expect(await client.wait(id)).toMatchObject({ state: 'exited', exitCode: 0 });
  expect((await outputOf(client, id)).length).toBeGreaterThan(20_000_000);
  expect(stuck.told(1)).toEqual([]);
  stuck.resume();
  await stuck.hears(1, 'end');
  const text = stuck
    .told(1)
    .map(({ data = '' }) => data)
    .join('');
  expect(text).toBe((await outputOf(client, id)).toString());
  stuck.close();
});
