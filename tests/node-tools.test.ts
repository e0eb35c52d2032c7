/** Tests requests about the folder of a session of a node, through the gateway of the other machine. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { TwoMachines } from './support/nodes.ts';

test('[NODE-44] files, changes, searches, folders and uploads of a session of a node are answered by the node, by role', async () => {
  await using machines = await TwoMachines.start();
  const gateway = await TestGateway.start(machines.primary);
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  execFileSync('git', ['init', '-q', folder]);
  writeFileSync(`${folder}/noted.txt`, 'a file of the node\n');
  const there = await machines.node.client();
  const { id } = await there.run({ command: ['sh', '-c', 'echo needle; exec cat'], cwd: folder });
  const at = `/api/nodes/build1/sessions/${id}`;
  const { token } = await gateway.token('operator');
  const viewer = (await gateway.token('viewer')).token;

  expect((await gateway.ask(`${at}/files?path=noted.txt`, { token })).text).toContain('a file of the node');
  expect((await gateway.ask(`${at}/changes`, { token })).text).toContain('noted.txt');
  expect(await gateway.ask(`${at}/search?text=needle`, { token: viewer })).toMatchObject({ status: 200 });
  expect(await gateway.ask(`/api/nodes/build1/folders?path=/`, { token })).toMatchObject({ status: 200 });
  const body = { name: 'note.txt', base64: Buffer.from('uploaded').toString('base64') };
  const uploaded = await gateway.ask(`${at}/uploads`, { token, body });
  expect(readFileSync((JSON.parse(uploaded.text) as { path: string }).path, 'utf8')).toBe('uploaded');

  // The routes of the node decide, with the role of this client and its own limits.
  for (const path of ['files?path=', 'changes'])
    expect(await gateway.ask(`${at}/${path}`, { token: viewer })).toMatchObject({ status: 403, code: 'ROLE_TOO_LOW' });
  expect(await gateway.ask(`${at}/files?path=../../etc/passwd`, { token })).toMatchObject({
    status: expect.toSatisfy((status: number) => status >= 400) as number,
  });
  expect(await gateway.ask(`${at}/files?frob=1`, { token })).toMatchObject({ status: 400 });
  expect(await gateway.ask(`/api/nodes/nowhere/sessions/${id}/changes`, { token })).toMatchObject({ status: 404 });
  const own = await (await machines.primary.client()).run({ command: ['cat'] });
  const limited = (await gateway.token('operator', '--session', own.id)).token;
  expect(await gateway.ask(`${at}/changes`, { token: limited })).toMatchObject({ code: 'NOT_ALLOWED' });
  await machines.node.spool(['web', 'stop']);
  expect(await gateway.ask(`${at}/changes`, { token })).toMatchObject({ status: 503 });
  rmSync(folder, { recursive: true });
}, 120_000);
