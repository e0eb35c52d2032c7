/** What the README tells newcomers to do, done. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { TestDaemon } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { read, ROOT } from './support/sources.ts';

test('the program in the README runs outside of the clone, as a project that links the client', async () => {
  await using daemon = new TestDaemon();
  const project = mkdtempSync(`${tmpdir()}/spool-test-project-`);
  onTestFinished(() => rmSync(project, { recursive: true }));
  const program = /```ts\n(.*?)```/s.exec(read('README.md'))![1]!;
  const harmless = program
    .replace("['npm', 'test']", "['echo', 'tested']")
    .replace(/'npm create [^']*'/, `'echo created'`);
  expect(harmless).not.toContain('npm');
  // What `npm install /path/to/spool/packages/client` makes, without asking anybody.
  mkdirSync(`${project}/node_modules/@spool`, { recursive: true });
  symlinkSync(`${ROOT}/packages/client`, `${project}/node_modules/@spool/client`);
  writeFileSync(`${project}/program.ts`, `${harmless}\nconsole.log(state, lastLines.length);\n`);
  const printed = execFileSync(process.execPath, ['program.ts'], { cwd: project, env: daemon.env, encoding: 'utf8' });
  expect(printed).toBe('tested\r\n0\nsuccess 0\n');
});
