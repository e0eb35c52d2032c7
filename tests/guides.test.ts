/** Tests the guides of docs/ that a test can follow: their commands and programs are run as they are written, in order. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SPOOL, TestDaemon } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { read, ROOT } from './support/sources.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const run = promisify(execFile);

/** Returns the blocks of a page in a language, the indented ones too. */
function blocks(page: string, language: string): string[] {
  return [...read(page).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!);
}

/** Returns a folder with `spool` and a `claude` in `bin`, a git repository in `repo`, and a project that has the client. */
function workplace(): string {
  const place = mkdtempSync(`${tmpdir()}/spool-guide-`);
  onTestFinished(() => rmSync(place, { recursive: true }));
  for (const folder of ['bin', 'repo', 'project/node_modules/@spool'])
    mkdirSync(`${place}/${folder}`, { recursive: true });
  const programs = { spool: `"${SPOOL}"`, claude: `"${process.execPath}" "${AGENT}" /dev/null` };
  for (const [name, program] of Object.entries(programs))
    writeFileSync(`${place}/bin/${name}`, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  symlinkSync(`${ROOT}/packages/client`, `${place}/project/node_modules/@spool/client`);
  return place;
}

/** Runs a script with the programs of the workplace, and returns what it prints. */
async function follow(daemon: TestDaemon, place: string, script: string): Promise<string> {
  const path = [`${place}/bin`, dirname(process.execPath), process.env['PATH']].join(':');
  const env = { ...daemon.env, PATH: path, GIT_CONFIG_GLOBAL: '/dev/null' };
  return (await run('bash', ['-euc', script], { cwd: `${place}/repo`, env })).stdout;
}

async function runPrograms(daemon: TestDaemon, place: string, page: string): Promise<string[]> {
  const printed: string[] = [];
  for (const program of blocks(page, 'ts')) {
    writeFileSync(`${place}/project/program.ts`, program);
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: `${place}/project`, env: daemon.env });
    printed.push(stdout);
  }
  return printed;
}

test('the guide to ten agents: each has its tree, the first that is done is named, and all are stopped', async () => {
  await using daemon = new TestDaemon();
  const place = workplace();
  const commit = 'git -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m start';
  const printed = await follow(
    daemon,
    place,
    `git init -q && ${commit}\n${blocks('docs/ten-agents.md', 'sh').join('')}`,
  );
  expect(printed).toMatch(/^\w{10}\n\w{10}\n/);
  expect(printed).toMatch(/ login +\w+ .*login.*claude: Do what tasks\/login\.md says/);
  expect(printed).toMatch(/\n(?:login|search) is idle/);
  expect(printed).toMatch(/login was stopped|login exited/);
});

test('the guide to tasks: exit codes, the last lines, a pattern, and handles as plain data', async () => {
  await using daemon = new TestDaemon();
  const place = workplace();
  const printed = await follow(daemon, place, blocks('docs/tasks.md', 'sh').join(''));
  expect(printed).toContain('it failed with 3\n');
  expect(printed).toMatch(/build +error .* 3/);
  expect(printed).toContain('listening on 8080');
  expect(await runPrograms(daemon, place, 'docs/tasks.md')).toEqual([
    "one success 0 [ 'one' ]\ntwo success 0 [ 'two' ]\n",
  ]);
});

test('the programs of the guide to the SDK run as they are', async () => {
  await using daemon = new TestDaemon();
  const [greeter, status, missing] = await runPrograms(daemon, workplace(), 'docs/embed.md');
  expect([greeter, missing]).toEqual(['0 Hello, Ada.\n', 'it is gone\n']);
  expect(status).toMatch(/exit code 0\n$/);
});
