/** Tests the completions in real shells, with the sessions of a real daemon. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { TestDaemon } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { ROOT } from './support/sources.ts';

const ASK: Readonly<Record<string, (file: string, verb: string) => readonly string[]>> = {
  bash: (file, verb) => [
    '-c',
    `. ${file}; COMP_WORDS=(spool ${verb} ''); COMP_CWORD=2; _spool; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Prints the list that zsh would show; zsh's own completion needs a terminal.
  zsh: (file, verb) => [
    '-fc',
    `compdef() { :; }; compadd() { print -rl -- $shown; }; _arguments() { _spool_sessions; }; . ${file}; words=(spool ${verb} ''); CURRENT=3; _spool`,
  ],
  fish: (file, verb) => ['-Nc', `source ${file}; complete -C 'spool ${verb} '`],
};

const DESCRIBED: Readonly<Record<string, string>> = { bash: 'alive', zsh: 'alive  -- ', fish: 'alive\t' };

testNeeding(missingProgram('bash'))(
  '[SAY-7] bash completes both names of a flag, saved machines before the verb, and the values of a filter',
  async () => {
    await using daemon = new TestDaemon();
    await daemon.spool(['context', 'add', 'work', 'https://work.example'], { input: 'spool_x_y\n' });
    const script = (await daemon.spool(['completions', 'bash'])).stdout;
    const env = { ...daemon.env, PATH: `${ROOT}:${process.env['PATH']}` } as NodeJS.ProcessEnv;
    const complete = (...words: string[]): string[] => {
      const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _spool; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', line, 'bash', ...words], { env, encoding: 'utf8' }).split('\n');
    };
    expect(complete('spool', 'run', '--pi')).toContain('--pipes');
    expect(complete('spool', '--con')).toContain('--context');
    expect(complete('spool', '--context', 'w')).toContain('work');
    expect(complete('spool', '--context', 'work', 'ls', '--sort', 'na')).toContain('name');
    expect(complete('spool', 'ls', '-f', 'sta')).toContain('state=idle');
    expect(complete('spool', 'ls', '-f', 'state', '=')).toContain('idle');
    expect(complete('spool', 'ls', '-f', 'state', '=', 'id')).toContain('idle');
  },
);

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  testNeeding(missingProgram(shell))(
    `[SAY-7] ${shell} completes names of sessions, and the dead only where they are of use`,
    async () => {
      await using daemon = new TestDaemon();
      await daemon.json('run', '-d', '--name', 'alive', '--', 'sleep', '1000');
      await daemon.spool(['run', '--name', 'dead', '--', 'true']);
      const ids = (await daemon.json<{ id: string }[]>('ls', '-a')).map(({ id }) => id);
      const folder = mkdtempSync(`${tmpdir()}/spool-test-`);
      const file = `${folder}/completions`;
      writeFileSync(file, (await daemon.spool(['completions', shell])).stdout);
      const env = { ...daemon.env, PATH: `${ROOT}:${process.env['PATH']}` } as NodeJS.ProcessEnv;
      const complete = (verb: string): string =>
        execFileSync(shell, ASK[shell]!(file, verb), { env, encoding: 'utf8' });
      const attach = complete('attach');
      expect(attach).toContain(DESCRIBED[shell]);
      expect(attach).not.toContain('dead');
      const logs = complete('logs');
      expect(logs).toContain('alive');
      expect(logs).toContain('dead');
      if (shell !== 'zsh') expect(complete('doctor')).toContain('rules'); // the list above has no words of operands
      for (const id of ids) expect(attach + logs).not.toContain(id);
      rmSync(folder, { recursive: true });
    },
  );
}
