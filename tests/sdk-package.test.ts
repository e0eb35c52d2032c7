/** Tests the SDK as a program gets it: packed, installed into a fresh project without a network, compiled and run. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { ROOT } from './support/sources.ts';

const PROGRAM = `
import { connect, SpoolError, waitForAny } from '@spool/client/node';
import { parseWanted, waitFor } from '@spool/client/waits';
import type { AgentEvent, SessionInfo } from '@spool/client';

// @ts-expect-error The types of messages are known, not \`any\`.
export const unknownKind: AgentEvent['kind'] = 'no such kind';

try {
  await using client = await connect({ start: false });
  const session = await client.run({ command: ['sh', '-c', 'echo ready; exit 3'], size: { cols: 80, rows: 24 } });
  let text = '';
  for await (const item of session.watchText({ from: 0 })) if (item.type === 'text') text += item.data;
  const { match } = await waitForAny(client, session.id, ['match:/rea(d)y/', 'exit']);
  if (match?.[1] !== 'd') throw new Error('the pattern was not found');
  const again = await client.session(session.id.slice(0, 6));
  const end = await waitFor(client, again.id, parseWanted(['exit']));
  const info: SessionInfo = end.session;
  console.log(JSON.stringify({ text, exitCode: info.exitCode, reason: end.reason }));
  await client.get('no-such-session');
} catch (error) {
  if (!SpoolError.is(error)) throw error;
  const code: string = error.code;
  console.log(JSON.stringify({ code }));
}
`;

const CONFIG = {
  compilerOptions: {
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable'],
    strict: true,
    types: ['node'],
    outDir: 'out',
  },
};

test('[SDK-1, SDK-40] packed and installed without a network, it compiles under strict and NodeNext, and runs', async () => {
  await using daemon = new TestDaemon();
  await daemon.client();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  const run = (file: string, args: readonly string[], env = process.env): string =>
    execFileSync(file, args, { cwd: `${folder}/project`, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  mkdirSync(`${folder}/project/node_modules`, { recursive: true });
  writeFileSync(`${folder}/project/package.json`, JSON.stringify({ name: 'fresh', private: true, type: 'module' }));
  writeFileSync(`${folder}/project/tsconfig.json`, JSON.stringify(CONFIG));
  writeFileSync(`${folder}/project/main.ts`, PROGRAM);
  const tarball = run(process.execPath, [`${ROOT}/scripts/pack-sdk.mjs`, folder]).trim();
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball]);
  cpSync(`${ROOT}/node_modules/@types`, `${folder}/project/node_modules/@types`, { recursive: true });
  cpSync(`${ROOT}/node_modules/undici-types`, `${folder}/project/node_modules/undici-types`, { recursive: true });

  const installed = JSON.parse(
    readFileSync(`${folder}/project/node_modules/@spool/client/package.json`, 'utf8'),
  ) as object;
  expect(installed).toMatchObject({ engines: { node: '>=22.12' }, type: 'module' });
  expect(Object.keys(installed)).not.toContain('scripts');
  expect(Object.keys(installed)).not.toContain('dependencies');

  run(process.execPath, [`${ROOT}/node_modules/.bin/tsc`, '-p', '.']);
  const printed = run(process.execPath, ['out/main.js'], { ...daemon.env } as NodeJS.ProcessEnv);
  expect(
    printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([{ text: 'ready\r\n', exitCode: 3, reason: 'exit' }, { code: 'SESSION_UNKNOWN' }]);
  rmSync(folder, { recursive: true });
});
