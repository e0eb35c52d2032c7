/** Tests `spool shell-integration`: the real shells mark their prompts, their commands and the exit codes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventItem } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  /** The name of the user's file, in the session's home. */
  readonly startFile: string;
  readonly start: string;
}

const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    startFile: '.bashrc',
    start: `HISTCONTROL=ignorespace PS1='> '; eval "$(spool shell-integration bash)"`,
  },
  { name: 'zsh', startFile: '.zshrc', start: `PS1='> '; eval "$(spool shell-integration zsh)"` },
  { name: 'fish', startFile: '.config/fish/config.fish', start: 'spool shell-integration fish | source' },
];

for (const { name, startFile, start } of SHELLS)
  testNeeding(missingProgram(name))(
    `[SHELL-1] [STATE-21] ${name} marks each command with its text, its end and the folder; one that fails is notified`,
    async () => {
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      const home = join(daemon.home, `home of ${name}`);
      mkdirSync(join(home, '.config/fish'), { recursive: true });
      mkdirSync(join(home, 'a;b é'));
      const script = (await daemon.spool(['shell-integration', name])).stdout;
      writeFileSync(join(home, 'marks'), script);
      writeFileSync(join(home, startFile), start.replace(/eval.*|spool.*/, '. ~/marks'));
      const facts: Extract<EventItem, { type: 'session-osc' }>['fact'][] = [];
      const notified: string[] = [];
      void (async () => {
        for await (const event of client.events({ types: ['session-osc', 'notification'] }))
          if (event.type === 'notification') notified.push(`${event.title} ${event.body}`);
          else if (event.type === 'session-osc' && event.fact.type !== 'title-changed') facts.push(event.fact);
      })();
      const { id } = await client.run({
        command: [name, '-i'],
        size: { cols: 80, rows: 24 },
        cwd: home,
        env: { PATH: process.env.PATH!, HOME: home, LANG: 'C.UTF-8' },
      });
      let prompts = 0;
      const runs = async (line: string): Promise<void> => {
        await until(
          'the shell is at its prompt',
          () => facts.filter(({ type }) => type === 'prompt-end').length > prompts,
        );
        prompts = facts.filter(({ type }) => type === 'prompt-end').length;
        await client.write(id, `${line}\r`);
      };
      await runs(`echo 'one; two\\n' && false`);
      await runs(' true secret');
      await until('the failed command is notified', () => notified.length > 0);
      expect(notified).toEqual([
        expect.stringMatching(/^[a-z]+: echo 'one; two.*&& false failed with exit code 1 after [\d.]+m?s: one; two/),
      ]);
      await runs(`cd 'a;b é'`);
      await runs('sh -c "exit 7"');
      await until('the last command has ended', () =>
        facts.some((fact) => fact.type === 'command-end' && fact.exitCode === 7),
      );

      const commands: { text: string | null; exitCode?: number | undefined }[] = [];
      let text: string | null = null;
      for (const fact of facts) {
        if (fact.type === 'command-text') text = String(fact.command);
        else if (fact.type === 'command-start') {
          commands.push({ text: (fact.command as string | undefined) ?? text });
          text = null;
        } else if (fact.type === 'command-end') commands.at(-1)!.exitCode = Number(fact.exitCode);
      }
      expect(commands).toEqual([
        { text: `echo 'one; two\\n' && false`, exitCode: 1 },
        { text: null, exitCode: 0 }, // kept out of the shell's history, so it is not reported
        { text: `cd 'a;b é'`, exitCode: 0 },
        { text: 'sh -c "exit 7"', exitCode: 7 },
      ]);
      const folders = facts.flatMap((fact) => (fact.type === 'cwd-changed' ? [fact.path] : []));
      expect(folders.at(-1)).toBe(join(home, 'a;b é'));
      await client.kill(id);
    },
  );
