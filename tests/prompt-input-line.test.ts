/** Tests text that is in the input line already: it is reported, cleared on request, and never sent along. */
import { spawnSync } from 'node:child_process';
import type { Client } from '@spool/client';
import { program, seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, AGENT_STEP_MS_MAX, AGENTS, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };
const SHELL = ['bash', '--norc', '--noprofile', '-i'];
/** A prompt that no rule knows, with marks around it. */
const MARKED = String.raw`\[\e]133;A\a\]at home, \[\e]133;B\a\]`;

const SHELLS = [
  ['told by its looks', '$ '],
  ['that marks its prompt', MARKED],
] as const;

test.each(SHELLS)(
  '[IN-8] a half-typed line of a shell %s is refused with its text, and cleared on demand',
  async (_, PS1) => {
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const { id } = await client.run({ command: SHELL, name: 'sh', size: PTY, env: { ...env, PS1 } });
    await client.waitUntil(id, 'idle', { timeoutMs: 20_000 });
    await client.write(id, 'echo half-$((1+1))');
    await seen(client, id, 'echo half-$((1+1))');
    await expect(client.prompt(id, 'echo whole')).rejects.toMatchObject({
      code: 'INPUT_NOT_EMPTY',
      details: { session: 'sh', reason: '"echo half-$((1+1))"' },
    });
    const refused = await daemon.spool(['prompt', 'sh', 'echo whole']);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('the session "sh" has text in its input line: "echo half-$((1+1))"; ');
    // Longer than a row, and the cursor not at its end.
    await client.write(id, ' '.padEnd(100, 'x'));
    await client.keys(id, ['C-b', 'C-b']);
    expect(await daemon.spool(['prompt', '--clear', 'sh', 'echo whole-$((2+2))'])).toMatchObject({ code: 0 });
    expect(await seen(client, id, 'whole-4')).not.toMatch(/half-2/);
  },
);

test('[IN-8] by force it is typed behind what is there; what cannot be cleared is refused', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: SHELL, size: PTY, env: { ...env, PS1: '$ ' } });
  await client.waitUntil(id, 'prompt', { timeoutMs: 20_000 });
  await client.write(id, 'echo for');
  await client.prompt(id, 'ce-$((3+3))', { force: true });
  await seen(client, id, 'force-6');

  const stubborn = `printf '$ '; sleep 1; stty raw -echo; printf 'stuck'; exec sleep 1000`;
  const { id: deaf } = await client.run({ command: ['bash', '-c', stubborn], name: 'deaf', size: PTY, env });
  await client.waitUntil(deaf, 'prompt', { timeoutMs: 20_000 });
  await seen(client, deaf, 'stuck');
  await expect(client.prompt(deaf, 'hello', { clear: true })).rejects.toMatchObject({
    code: 'INPUT_NOT_EMPTY',
    details: { session: 'deaf', reason: '"stuck"', result: 'it could not be cleared' },
  });
});

for (const agent of AGENTS) {
  test(
    `[IN-8] ${agent.name}, the real one: what stands in its input line is told, and cleared`,
    AGAIN,
    async ({ skip }) => {
      skip(!isInstalled(agent), `it runs once \`node scripts/agents.mjs ${agent.name}\` has brought the program`);
      const offline = program('offline');
      skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');
      using home = new AgentHome(agent);
      await using daemon = new TestDaemon();
      const client = await daemon.client();
      const { id } = await client.run({
        command: [offline, ...commandOf(agent)],
        cwd: home.project,
        env: { PATH: process.env.PATH!, TERM: 'xterm-256color', ...home.env },
        size: { cols: 100, rows: 30 },
      });
      await until(
        'it is ready',
        async () => (await client.screen(id)).content.includes(agent.ready),
        AGENT_STEP_MS_MAX,
      );
      await until(
        'it is recognised',
        async () => (await client.get(id)).status.agent === agent.name,
        AGENT_STEP_MS_MAX,
      );
      await typeUntilShown(client, id, 'left over');
      await expect(client.prompt(id, 'please say one')).rejects.toMatchObject({
        code: 'INPUT_NOT_EMPTY',
        details: { reason: expect.stringMatching(/^"left over/) as string },
      });
      await client.paste(id, ' and\nanother line');
      await until('the paste is shown', async () => (await client.screen(id)).content.includes('another line'));
      expect(await client.prompt(id, 'please say two', { clear: true, confirmMs: AGENT_STEP_MS_MAX })).toMatchObject({
        isConfirmed: true,
      });
      await until(
        'it heard only the prompt',
        async () => (await client.screen(id)).content.includes('Heard 1 of them, at last PLEASE SAY TWO.'),
        AGENT_STEP_MS_MAX,
      );
    },
  );
}

/** Types until the text is visible: keys that are typed while a program starts may be lost. */
async function typeUntilShown(client: Client, id: string, text: string): Promise<void> {
  const isShown = async (): Promise<boolean> => (await client.screen(id)).content.includes(text);
  for (let tries = 0; tries < 10 && !(await isShown()); tries++) {
    await client.write(id, text);
    await until(`${text} is shown`, isShown, 3000).catch(() => {});
  }
}
