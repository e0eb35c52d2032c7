import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { connectNats, natsAddress } from './nats-connection.ts';
import { NKey } from './nkey.ts';

test('[NODE-53] a server gets no signature of a text of its choice: the key signs links too', async () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  NKey.at(`${folder}/seed`, true);
  let said = '';
  const server = createServer((socket) => {
    const info = { server_id: 'A', version: '2.9.10', proto: 1, max_payload: 1024, nonce: 'spool nats\nmain\nnode' };
    socket.on('error', () => {}).on('data', (bytes) => (said += bytes.toString()));
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await expect(
      connectNats({ url: `nats://127.0.0.1:${port}`, fleet: 'main', seedFile: `${folder}/seed` }),
    ).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(said).not.toContain('sig');
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test('[NODE-50] the address of a server has a scheme and a host, and no password', () => {
  expect(natsAddress('nats://nats.example:4222')).toBe('nats://nats.example:4222');
  expect(natsAddress('tls://nats.example')).toBe('tls://nats.example');
  for (const text of ['nats.example', 'http://nats.example', 'nats://', 'nats://me:word@nats.example'])
    expect(() => natsAddress(text)).toThrow('expected nats://HOST:PORT');
});
