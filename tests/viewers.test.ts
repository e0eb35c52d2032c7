import type { Attachment, Client } from '@spool/client';
import { program, seen, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };
const SMALL = { cols: 60, rows: 20 };
const LARGE = { cols: 120, rows: 40 };
const PTY = { cols: 80, rows: 24 };

test.each([
  ['latest', SMALL],
  ['smallest', SMALL],
  ['largest', LARGE],
  ['fixed', PTY],
] as const)(
  '[SIZE-1] with policy %s, of a large and then a small viewer, the terminal is %o',
  async (sizePolicy, expected) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const session = await client.run({ command: ['cat'], size: PTY, env, sizePolicy });
    const large = await attached(client, session.id, { size: LARGE });
    const small = await attached(client, session.id, { size: SMALL });
    await attached(client, session.id, { size: { cols: 30, rows: 5 }, isReadOnly: true });
    await until('the size is applied', async () => same((await client.get(session.id)).size, expected));
    small.close();
    if (sizePolicy !== 'fixed')
      await until('who stays has his size back', async () => same((await client.get(session.id)).size, LARGE));
    large.close();
  },
);

test('[SIZE-2] [SIZE-3] [SIZE-4] a new size comes after the snapshot, others are told, the sender is not, and the same size is nothing', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: [program('size-reporter')], size: PTY, env });
  await seen(client, session.id, 'ready');
  const watched: string[] = [];
  const other = client.attach(session.id);
  void (async () => {
    for await (const item of other) if (item.type === 'resized') watched.push(`${item.cols}x${item.rows}`);
  })();
  const items: string[] = [];
  const own = client.attach(session.id, { size: SMALL });
  void (async () => {
    for await (const item of own) items.push(item.type);
  })();
  await seen(client, session.id, '20 60');
  await until('the other was told', () => watched.length > 0);
  await own.view({ size: SMALL }); // the same size again
  await own.view({ size: LARGE });
  await seen(client, session.id, '40 120');
  await until('the other was told again', () => watched.length > 1);
  expect(watched).toEqual(['60x20', '120x40']);
  expect(items.find((type) => type !== 'viewers' && type !== 'synced')).toBe('snapshot');
  expect(items).not.toContain('resized');
  expect(await seen(client, session.id, '40 120')).not.toContain('for nothing');
  other.close();
  own.close();
});

test('[SIZE-3, SIZE-6] a viewer that follows the size is told it with each snapshot, and also when it caused it; it gets a snapshot when it asks', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  const items: string[] = [];
  const own = client.attach(session.id, { size: SMALL, followsSize: true });
  void (async () => {
    for await (const item of own) {
      if (item.type === 'resized') items.push(`${item.cols}x${item.rows}`);
      else if (item.type === 'snapshot') items.push(item.type);
    }
  })();
  // A picture that was not read yet is replaced by the next one; a size is reported before each.
  await until('the picture in its own size is there', () => items.slice(-2).join(' ') === '60x20 snapshot');
  expect(items[0]).toBe('80x24');
  items.length = 0;
  own.view({ size: LARGE });
  await until('its own new size is told', () => items.includes('120x40'));
  expect(items).not.toContain('snapshot');
  items.length = 0;
  own.view({ wantsSnapshot: true });
  await until('the picture is there', () => items.includes('snapshot'));
  expect(items).toEqual(['120x40', 'snapshot']);
  own.close();
  // Also from an offset on.
  const later = client.attach(session.id, { from: 0, isReadOnly: true, followsSize: true });
  for await (const item of later) {
    expect(item).toMatchObject({ type: 'resized', cols: 120, rows: 40 });
    break;
  }
  later.close();
});

test('[SIZE-3] who gets his own size back is shown the session anew: its lines have moved', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  const snapshots: number[] = [];
  const small = client.attach(session.id, { size: SMALL });
  void (async () => {
    for await (const item of small) if (item.type === 'snapshot') snapshots.push(item.offset);
  })();
  await until('the small one is there', async () => same((await client.get(session.id)).size, SMALL));
  const large = await attached(client, session.id, { size: LARGE });
  await until('the large one is there', async () => same((await client.get(session.id)).size, LARGE));
  const before = snapshots.length;
  await small.type(Buffer.from('x'));
  await until('who types has his size', async () => same((await client.get(session.id)).size, SMALL));
  await until('and is shown it', () => snapshots.length > before);
  // Not at once: the small one has just typed [SIZE-7].
  await until('the other has his again', async () => {
    await large.type(Buffer.from('y'));
    return same((await client.get(session.id)).size, LARGE);
  });
  const later = snapshots.length;
  large.close();
  await until('who stays is shown it again', () => snapshots.length > later);
  small.close();
});

test('[SIZE-1, LIFE-1] a keeper that is killed changes no size: who did something last is still the last', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  const [one, other] = [await daemon.client(), await daemon.client()];
  const small = await attached(one, session.id, { size: SMALL });
  const large = await attached(other, session.id, { size: LARGE });
  await small.type(Buffer.from('x'));
  await until('the size is of the one who typed', async () => same((await client.get(session.id)).size, SMALL));
  for (let kill = 0; kill < 3; kill++) {
    const { keeper } = await client.status();
    process.kill(keeper.pid, 'SIGKILL');
    await until(
      'both are back',
      async () => (await client.get(session.id)).viewers.filter(({ size }) => size).length === 2,
    );
  }
  large.close();
  await until('one has left', async () => (await client.get(session.id)).viewers.length === 1);
  const sizes: string[] = [];
  for await (const mark of client.marks(session.id))
    if (mark.type === 'resize') sizes.push(`${mark.cols}x${mark.rows}`);
  expect(sizes).toEqual(['60x20', '120x40', '60x20']);
  small.close();
});

test('[QRY-2] the colours of one who only looks are not those of the session while another types', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ask = `stty raw -echo; while :; do head -c 1 >/dev/null; printf '\\033]11;?\\007'; head -c 24 | cat -v; done`;
  const session = await client.run({ command: ['bash', '-c', ask], size: PTY, env });
  const typist = await attached(client, session.id, { colours: { background: '#101010' } });
  await attached(client, session.id, { isReadOnly: true, colours: { background: '#eeeeee' } });
  await typist.type(Buffer.from('x'));
  expect(await seen(client, session.id, '11;rgb:')).not.toContain('eeee');
  await seen(client, session.id, 'rgb:1010/1010/1010');
  typist.close();
});

test('[ATT-7] a viewer that takes over detaches the others; a read-only viewer cannot type', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  const first = client.attach(session.id);
  const ended = (async () => {
    for await (const item of first) if (item.type === 'taken-over') return item.type;
    return 'ended otherwise';
  })();
  await until('the first is there', async () => (await client.get(session.id)).viewers.length === 1);
  const looker = await attached(client, session.id, { isReadOnly: true });
  const second = await attached(client, session.id, { takeover: true });
  expect(await ended).toBe('taken-over');
  await expect(looker.type(Buffer.from('not mine to type\r'))).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  void second.type(Buffer.from('mine\r'));
  const out = await seen(client, session.id, 'mine\r\nmine');
  expect(out).not.toContain('not mine');
  expect((await client.get(session.id)).viewers.map(({ isReadOnly }) => isReadOnly)).toEqual([true, false]);
  looker.close();
  second.close();
});

test('focus is one for all who look: the program hears of it when it changes for all, and not before it asked', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `stty raw -echo; printf '\\033[?1004hready'; dd bs=1 count=6 2>/dev/null | od -An -c; echo done`;
  const session = await client.run({ command: ['sh', '-c', script], size: PTY, env });
  await seen(client, session.id, 'ready');
  const one = await attached(client, session.id, {});
  const two = await attached(client, session.id, {});
  await one.view({ isFocused: true });
  await two.view({ isFocused: true });
  await one.view({ isFocused: false });
  await two.view({ isFocused: false });
  const out = await seen(client, session.id, 'done');
  expect(out.replaceAll(/\s+/g, ' ')).toContain('033 [ I 033 [ O');
  one.close();
  two.close();
});

test('[IN-6] the typing client is recorded, and the viewers are known', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['cat'], size: PTY, env });
  const viewer = await attached(client, session.id, { size: LARGE });
  void viewer.type(Buffer.from('hello\r'));
  await seen(client, session.id, 'hello\r\nhello');
  const { typed, viewers } = await client.get(session.id);
  expect(typed).toMatchObject({ who: viewers[0]!.who });
  expect(viewers).toMatchObject([{ isReadOnly: false, size: LARGE }]);
  viewer.close();
  await until('nobody is there', async () => (await client.get(session.id)).viewers.length === 0);
});

test('[IN-6] who typed is known after the death of a keeper and after the end, and each change is in the history', async () => {
  await using daemon = new TestDaemon();
  const ann = await daemon.client({ who: 'ann' });
  const bob = await daemon.client({ who: 'bob' });
  const events = bob.events({ types: ['session-typed'] });
  const session = await ann.run({ command: ['cat'], size: PTY, env });
  await ann.write(session.id, 'one\r');
  await seen(ann, session.id, 'one\r\none');
  await bob.write(session.id, 'two\r');
  await seen(ann, session.id, 'two\r\ntwo');
  const told = [(await events.next()).value, (await events.next()).value];
  expect(told).toMatchObject([{ who: 'ann', id: session.id }, { who: 'bob' }]);
  const typists = async (): Promise<unknown[]> =>
    (await ann.explain(session.id)).history.flatMap((item) => (item.type === 'typed' ? item.who : []));
  await until('the history has both', async () => (await typists()).length === 2);
  const { typed } = await ann.get(session.id);
  const { keeper } = await ann.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('another keeper', async () => (await ann.status()).keeper.pid !== keeper.pid);
  expect([(await ann.get(session.id)).typed, await typists()]).toEqual([typed, ['ann', 'bob']]);
  expect(typed).toMatchObject({ who: 'bob' });
  await ann.stop(session.id);
  const { keeper: second } = await ann.status();
  process.kill(second.pid, 'SIGKILL');
  await until('a third keeper', async () => (await ann.status()).keeper.pid !== second.pid);
  expect([(await ann.get(session.id)).typed, await typists()]).toEqual([typed, ['ann', 'bob']]);
});

test('[IN-1] [LIFE-1] what is typed while keepers die arrives once and in order', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const killer = await daemon.client();
  const session = await client.run({ command: ['bash', '-c', 'stty raw -echo; echo ready; exec cat'], size: PTY, env });
  await seen(client, session.id, 'ready');
  const viewer = await attached(client, session.id, {});
  void drain(viewer);
  let typed = '';
  for (let round = 0; round < 5; round++) {
    const { keeper } = await killer.status();
    for (let key = 0; key < 40; key++) {
      const text = `<${round}.${key}>`;
      // No key is in transit when the keeper stops; later keys reach it and are lost with it.
      if (key === 10) await seen(client, session.id, `<${round}.9>`);
      if (key === 10) process.kill(keeper.pid, 'SIGSTOP');
      typed += text;
      void viewer.type(Buffer.from(text));
      if (key === 30) process.kill(keeper.pid, 'SIGKILL');
    }
    await seen(killer, session.id, `<${round}.39>`);
  }
  const out = await seen(client, session.id, '<4.39>');
  expect(out.slice(out.indexOf('<'))).toBe(typed);
  viewer.close();
});

test('[SLOW-3] a viewer that falls far behind is brought to the present by a snapshot; a watcher reads every byte', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const bytes = 24 * 1024 * 1024;
  const command = [
    'sh',
    '-c',
    `stty raw -echo; echo ready; read go; ${program('verified-source')} ${bytes}; echo; echo the end; sleep 1000`,
  ];
  const session = await client.run({ command, size: PTY, env });
  await seen(client, session.id, 'ready');
  const viewer = client.attach(session.id)[Symbol.asyncIterator]();
  expect((await viewer.next()).value).toMatchObject({ type: 'snapshot' });
  const from = (await client.get(session.id)).offset;
  const watcher = client.watch(session.id, { from })[Symbol.asyncIterator]();
  expect((await watcher.next()).value).toMatchObject({ type: 'synced' });
  await client.write(session.id, '\n');
  await until('all is written', async () => (await client.get(session.id)).offset > from + bytes);
  let received = 0;
  let snapshots = 0;
  let text = '';
  while (!text.includes('the end')) {
    const { value } = await viewer.next();
    if (value?.type === 'snapshot') snapshots++;
    if (value?.type === 'snapshot' || value?.type === 'output') {
      received += value.bytes.length;
      text = (text + Buffer.from(value.bytes).toString('latin1')).slice(-4000);
    }
  }
  expect(snapshots).toBeGreaterThan(0);
  expect(received).toBeLessThan(bytes / 2);
  await viewer.return?.();
  // Neither was read so far; the watcher has missed no byte by that.
  const stream = new VerifiedStream();
  while (stream.offset < bytes) {
    const { value } = await watcher.next();
    expect(value).toMatchObject({ type: 'output' });
    if (value?.type === 'output')
      stream.push(value.offset - from, value.bytes.subarray(0, bytes - (value.offset - from)));
  }
  await watcher.return?.();
});

test('[ATT-2] a viewer that lost its link goes on at its cursor', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['sh', '-c', 'stty -echo; echo ready; exec cat'], size: PTY, env });
  await seen(client, session.id, 'ready');
  const viewer = client.attach(session.id);
  const items: { type: string; text?: string }[] = [];
  void (async () => {
    for await (const item of viewer) {
      items.push(
        item.type === 'output' ? { type: 'output', text: Buffer.from(item.bytes).toString() } : { type: item.type },
      );
    }
  })();
  await until('it is painted', () => items.some(({ type }) => type === 'snapshot'));
  process.kill((await client.status()).keeper.pid, 'SIGKILL');
  await client.status();
  await client.write(session.id, 'after\r');
  await until('it is shown', () => items.some(({ text }) => text?.includes('after')));
  expect(items.filter(({ type }) => type === 'snapshot').length).toBe(1);
  expect(
    items
      .filter(({ type }) => type === 'output')
      .map(({ text }) => text)
      .join(''),
  ).toBe('after\r\n');
  viewer.close();
});

async function attached(
  client: Client,
  session: string,
  options: Parameters<Client['attach']>[1],
): Promise<Attachment> {
  const viewer = client.attach(session, options);
  await viewer[Symbol.asyncIterator]().next();
  // The size, if there is one, is applied after the snapshot.
  if (options?.size && !options.isReadOnly) {
    await until('its size is known', async () =>
      (await client.get(session)).viewers.some(({ size }) => size?.cols === options.size!.cols),
    );
  }
  return viewer;
}

async function drain(viewer: Attachment): Promise<void> {
  for await (const _item of viewer);
}

function same(a: { cols: number; rows: number } | null, b: { cols: number; rows: number }): boolean {
  return a?.cols === b.cols && a.rows === b.rows;
}
