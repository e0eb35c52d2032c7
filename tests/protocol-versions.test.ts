/** Tests clients and daemons of neighbouring releases: each claims a range of protocol versions. */
import { createConnection } from 'node:net';
import type { DaemonStatus, SessionInfo } from '@spool/protocol';
import { decodeJson, encodeJson, FrameReader, FrameType, PROTOCOL_VERSION } from '@spool/protocol';
import { TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { Installation } from './support/installation.ts';

/** Lets an installation claim to be of another release. The bundler has put the numbers where they are used. */
function claim(at: Installation, oldest: number, newest: number): void {
  const now = PROTOCOL_VERSION;
  let changes = 0;
  const change = (text: string, before: string, after: string): string => {
    changes += text.split(before).length - 1;
    return text.replaceAll(before, after);
  };
  for (const name of [...at.programs, ...at.chunks])
    at.edit(name, (text) => {
      const one = text
        .replaceAll(/(protocol: \d+,)\s*(oldest: \d+)/g, '$1 $2')
        .replaceAll(/(protocol: \d+,)\s*home/g, '$1 home');
      const ranges = change(one, `protocol: ${now}, oldest: ${now}`, `protocol: ${newest}, oldest: ${oldest}`);
      const shown = change(ranges, `protocol: ${now}, home`, `protocol: ${newest}, home`);
      return change(shown, `protocol > ${now} || protocol < ${now}`, `protocol > ${newest} || protocol < ${oldest}`);
    });
  // The hello and the check of the client, the range and the status of the keeper.
  expect(changes).toBeGreaterThanOrEqual(4);
}

/** Sends a hello and returns the answer. */
async function greet(socketPath: string, hello: object): Promise<{ readonly type: number; readonly content: unknown }> {
  const socket = createConnection(socketPath);
  const reader = new FrameReader();
  const answer = Promise.withResolvers<{ type: number; content: unknown }>();
  socket.on('data', (chunk: Buffer) =>
    reader.push(chunk, ({ type, payload }) => answer.resolve({ type, content: decodeJson(payload) })),
  );
  socket.on('error', answer.reject);
  socket.write(encodeJson(FrameType.hello, 0, hello));
  try {
    return await answer.promise;
  } finally {
    socket.destroy();
  }
}

test('[WIRE-8] a daemon answers a newer and an older client with the version that both speak, or with a typed error', async () => {
  await using daemon = new TestDaemon();
  const { socket } = await daemon.json<DaemonStatus>('daemon', 'start');
  const now = PROTOCOL_VERSION;
  const used = { type: FrameType.hello, content: expect.objectContaining({ protocol: now }) as unknown };
  const refused = {
    type: FrameType.error,
    content: expect.objectContaining({ code: 'VERSION_UNSUPPORTED' }) as unknown,
  };
  expect(await greet(socket, { protocol: now, version: '0' })).toEqual(used); // of the first release: without a range
  expect(await greet(socket, { protocol: now + 1, oldest: now, version: '9' })).toEqual(used);
  expect(await greet(socket, { protocol: now + 1, oldest: now + 1, version: '9' })).toEqual(refused);
  expect(await greet(socket, { protocol: now + 1, version: '9' })).toEqual(refused);
});

test('[WIRE-8] a command line of the next release works with this daemon, upgrades it, and this one works with the next daemon', async () => {
  await using daemon = new TestDaemon();
  using next = new Installation();
  claim(next, PROTOCOL_VERSION, PROTOCOL_VERSION + 1);
  const { id } = await daemon.json<SessionInfo>('run', '-d', '--', 'cat');
  for (const words of [['ls'], ['send', id, 'x', '--enter'], ['inspect', id], ['daemon', 'upgrade', '--json']])
    expect([words, await next.spool(daemon, ...words)]).toEqual([words, expect.objectContaining({ code: 0 })]);
  expect(await daemon.json<DaemonStatus>('daemon', 'status')).toMatchObject({
    protocol: PROTOCOL_VERSION + 1,
    sessions: { running: 1 },
  });
  expect((await daemon.spool(['logs', id])).stdout).toContain('x');
});

test('[WIRE-8] a release that is too far away is refused with a sentence, before anything is touched', async () => {
  await using daemon = new TestDaemon();
  using far = new Installation();
  claim(far, PROTOCOL_VERSION + 1, PROTOCOL_VERSION + 2);
  await daemon.spool(['run', '-d', '--', 'cat']);
  const before = await daemon.json<DaemonStatus>('daemon', 'status');
  for (const words of [['ls'], ['daemon', 'upgrade']]) {
    const { code, stderr } = await far.spool(daemon, ...words);
    expect([code, stderr]).toEqual([
      125,
      expect.stringMatching(/no version of the protocol in common.*release between/),
    ]);
  }
  const after = await daemon.json<DaemonStatus>('daemon', 'status');
  expect([after.keeper.pid, after.holder.pid]).toEqual([before.keeper.pid, before.holder.pid]);
});
