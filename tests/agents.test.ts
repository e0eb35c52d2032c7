/**
 * Tests the real agents in sessions: prompt, paste, leave, come back at another size, mouse, quit. They are third-party programs,
 * so they run in their own network, which contains only a scripted model, and with a temporary home.
 *
 * The tests run if `node scripts/agents.mjs` has downloaded the programs; otherwise `attach-printed.test.ts` uses their
 * recordings.
 */
import { spawnSync } from 'node:child_process';
import { program, SPOOL, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { AGAIN, AGENTS, AgentHome, commandOf, isInstalled } from '@spool/testkit/agents';
import { TerminalUser } from './support/terminal-user.ts';

const FIRST = { cols: 100, rows: 30 };
const SECOND = { cols: 84, rows: 26 };

for (const agent of AGENTS) {
  const title = `[ATT-1, ATT-4, ATT-6] ${agent.name}, the real one: prompt, paste, leave, come back at another size, quit`;
  test(title, AGAIN, async ({ skip }) => {
    skip(!isInstalled(agent), `it runs once \`node scripts/agents.mjs ${agent.name}\` has brought the program`);
    const offline = program('offline');
    skip(spawnSync(offline, ['true']).status !== 0, 'it runs where a program may be given a network of its own');

    using home = new AgentHome(agent);
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    const command = ['--', offline, ...commandOf(agent)];
    {
      const run = [
        SPOOL,
        'run',
        '--name',
        'agent',
        '--cwd',
        home.project,
        ...Object.entries(home.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        ...command,
      ];
      using first = new TerminalUser(run, daemon, FIRST);
      await first.sees(agent.ready);
      await first.says('please say one');
      await first.sees('Heard 1 of them, at last PLEASE SAY ONE.', agent.rested);
      await first.pastesSlowly('please paste alpha\rbeta two');
      await first.sees('beta two');
      await first.pressesEnter();
      await first.sees('Heard 2 of them, at last BETA TWO.', agent.rested);
      await first.seesTheTruth(client, 'agent', FIRST);
      first.typesCtrl('\\');
      await first.isBackInTheShell(0);
    }

    using second = new TerminalUser([SPOOL, 'attach', 'agent'], daemon, SECOND);
    await until('the size is applied', async () => (await client.get('agent')).size?.cols === SECOND.cols);
    await second.sees('please paste alpha'); // not the answer: Gemini erases its last line when its window gets narrower
    await second.seesTheTruth(client, 'agent', FIRST);
    await second.pastesSlowly('please paste gamma\rdelta three');
    await second.sees('delta three');
    await second.pressesEnter();
    await second.sees('Heard 2 of them, at last DELTA THREE.', agent.rested);
    await second.says('please list 60');
    await second.sees('Row 60 of 60.', agent.rested);
    if (agent.hasMouse) await second.turnsTheWheelUntil('Row 40 of 60.');
    await second.seesTheTruth(client, 'agent', FIRST);

    second.typesCtrl(agent.quitKey);
    if (agent.quitAgain !== undefined) {
      await second.sees(agent.quitAgain);
      second.typesCtrl(agent.quitKey);
    }
    await second.isBackInTheShell(0);
    expect((await client.get('agent')).state).toBe('exited');
  });
}
