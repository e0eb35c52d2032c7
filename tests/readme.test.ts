/** Tests the steps in the README for new users. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestDaemon } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { read, ROOT } from './support/sources.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/scripted-agent.mjs', import.meta.url));
const run = promisify(execFile);

test('the program in the README runs outside of the clone, as a project that links the client', async () => {
  await using daemon = new TestDaemon();
  const [program] = programs();
  const harmless = program!
    .replace("['npm', 'test']", "['echo', 'tested']")
    .replace(/'npm create [^']*'/, `'echo created'`);
  expect(harmless).not.toContain('npm');
  const printed = await runOutside(daemon, `${harmless}\nconsole.log(state, lastLines.length);\n`);
  expect(printed).toBe('tested\r\n0\nsuccess 1\n');
});

test('the program in the README that drives an agent runs: it allows what is asked, and prints what is said', async () => {
  await using daemon = new TestDaemon();
  const agent = [process.execPath, AGENT, `${daemon.home}/received.ndjson`];
  const scripted = programs()[1]!.replace(/\{ prompt: '[^']*'/, `{ prompt: 'ask 2', program: ${JSON.stringify(agent)}`);
  expect(scripted).toContain('scripted-agent');
  expect((await runOutside(daemon, scripted)).split('\n')).toEqual([
    expect.stringMatching(/^allowing Bash \{ command: 'echo 0'/),
    expect.stringMatching(/^allowing Bash \{ command: 'echo 1'/),
    'ask is done',
    '',
  ]);
});

const programs = (): string[] => [...read('README.md').matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => program!);

/** Runs a program in a project that links the client. */
async function runOutside(daemon: TestDaemon, program: string): Promise<string> {
  const project = mkdtempSync(`${tmpdir()}/spool-test-project-`);
  onTestFinished(() => rmSync(project, { recursive: true }));
  // The result of `npm install /path/to/spool/packages/client`, without a network.
  mkdirSync(`${project}/node_modules/@spool`, { recursive: true });
  symlinkSync(`${ROOT}/packages/client`, `${project}/node_modules/@spool/client`);
  writeFileSync(`${project}/program.ts`, program);
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project, env: daemon.env });
  return stdout;
}
