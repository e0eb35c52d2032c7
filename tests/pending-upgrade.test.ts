/** Tests the line about a daemon that runs an older version than the command line. */
import { rmSync, utimesSync } from 'node:fs';
import { Terminal, TestDaemon } from '@spool/testkit';
import { VERSION } from '@spool/protocol';
import { expect, test } from 'vitest';
import { Installation } from './support/installation.ts';

/** Longer than the version: compiled code of an earlier command is valid for a text of the same length. */
const LATER = '17.0.0';
const EARLIER = '0.0.10';

/** Lets an installation claim to have another version. The bundler has put it where it is used. */
function claim(at: Installation, version: string): void {
  let changes = 0;
  for (const name of [...at.programs, ...at.chunks])
    at.edit(name, (text) => {
      changes += text.split(`"${VERSION}"`).length - 1;
      return text.replaceAll(`"${VERSION}"`, `"${version}"`);
    });
  // The check of the command line, and the comparison of the versions.
  expect(changes).toBeGreaterThanOrEqual(2);
}

test('[LIFE-46] a command that a user types mentions an older daemon once a day; no other command does', async () => {
  await using daemon = new TestDaemon();
  using next = new Installation();
  claim(next, LATER);
  await daemon.spool(['run', '-d', '--name', 'listed', '--', 'cat']);
  const spool = [next.node, `${next.folder}/dist/spool.cjs`];
  const note = `${daemon.home}/upgrade-mentioned`;
  const printedBy = async (command: readonly string[], env = {}): Promise<string> => {
    using terminal = new Terminal(command, { ...daemon.env, CI: undefined, ...env });
    await terminal.ended();
    return terminal.printed;
  };
  const line = new RegExp(
    `listed[^]*version ${VERSION}, this is ${LATER}: \\S.* daemon upgrade replaces it[^\\n]*\\r\\n$`,
  );
  const script = [...spool.map((word) => `'${word}'`), 'ls'].join(' ');

  // Nothing of this reads or writes the note: the next command that a user types still mentions the daemon.
  expect(await printedBy([...spool, 'ls', '--json'])).not.toContain('upgrade');
  expect(await printedBy([...spool, 'ls'], { CI: 'true' })).not.toContain('upgrade');
  expect(await printedBy(['/bin/sh', '-c', `${script}; true`])).toMatch(/listed(?![^]*upgrade)/);
  expect(await printedBy(['/bin/sh', '-c', `exec ${script} 2>/dev/null`])).toMatch(/listed(?![^]*upgrade)/);
  expect(await printedBy(['/bin/sh', '-c', `exec ${script} >/dev/null`])).toBe('');
  expect(await next.spool(daemon, 'ls')).toMatchObject({ code: 0, stderr: '' });

  expect(await printedBy([...spool, 'ls'])).toMatch(line);
  expect(await printedBy([...spool, 'ls'])).toMatch(/listed(?![^]*upgrade)/);
  const yesterday = Date.now() / 1000 - 25 * 3600;
  utimesSync(note, yesterday, yesterday);
  expect(await printedBy([...spool, 'ls'])).toMatch(line);

  // A command line that is older than the daemon has nothing to upgrade to.
  rmSync(note);
  using before = new Installation();
  claim(before, EARLIER);
  expect(await printedBy([before.node, `${before.folder}/dist/spool.cjs`, 'ls'])).toMatch(/listed(?![^]*upgrade)/);
});
