/**
 * Tests the side channel of Grok in its own terminal: the real program, beside a scripted model, in a separate network. The tests run
 * if `node scripts/agents.mjs grok` has downloaded it. `SPOOL_RACES` raises the number of requests that both sides answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@spool/testkit';
import { AGAIN, AGENTS } from '@spool/testkit/agents';
import { expect, test } from 'vitest';
import { missing, OfflineDaemon, STEP_MS_MAX, TerminalAgent } from './support/terminal-agent.ts';

const GROK = AGENTS.find(({ name }) => name === 'grok')!;
const DIALOG = 'Yes, proceed';
/** The key for this answer. */
const PROCEED = '2';
const RACES = Number(process.env.SPOOL_RACES ?? 10);
/** A key is faster than a client: with these delays each is sometimes the first. */
const KEY_AFTER_MS = [0, 10, 20, 40];
const FILES = ['by-client', 'by-key', 'after-driver', 'after-keeper'];

/** Returns a prompt that makes these files, one after the other. Grok asks about a loop, and not about a plain `touch`. */
const making = (names: readonly string[]): string =>
  `please run ${names.map((name) => `for x in 1; do touch ${name}; done`).join(' >> ')}`;

test(
  '[CHAN-1, CHAN-3, CHAN-4, CHAN-5, CHAN-6] Grok, the real one, in its terminal: answered by a client, by a key, after kills, and by both',
  AGAIN,
  async ({ skip }) => {
    const reason = missing(GROK);
    skip(reason !== null, reason ?? '');
    await using daemon = new OfflineDaemon();
    const client = await daemon.start();
    using grok = new TerminalAgent({ agent: GROK, client, words: [], dialog: DIALOG });
    const before = grok.home.files();
    await grok.start();
    const { id, home } = grok;
    expect((await client.explain(id)).sideChannel).toMatchObject({ hasEvents: true, why: null });

    await grok.prompt(making(FILES));
    const first = await grok.asked('by-client');
    const { typed } = await client.get(id);
    expect(await daemon.spool(['approve', id, '--request', first, '--option', 'allow-once'])).toMatchObject({
      code: 0,
    });

    await grok.asked('by-key');
    expect((await client.get(id)).typed).toEqual(typed); // no key was pressed
    await client.write(id, PROCEED);

    const third = await grok.asked('after-driver');
    await grok.killDriver();
    expect(await daemon.spool(['approve', id, '--request', third])).toMatchObject({ code: 0 });

    const fourth = await grok.asked('after-keeper');
    process.kill((await client.status()).keeper.pid, 'SIGKILL');
    await until('the next keeper knows the request', async () => (await grok.request()) === fourth, STEP_MS_MAX);
    expect(await daemon.spool(['approve', id, '--request', fourth])).toMatchObject({ code: 0 });
    await grok.rests(1);
    expect(FILES.filter((name) => !grok.made(name))).toEqual([]);
    expect(await grok.decisions()).toEqual([
      ['allow', 'watcher'],
      ['allow', 'terminal'],
      ['allow', 'watcher'],
      ['allow', 'watcher'],
    ]);

    await grok.prompt(making(['refused']));
    const fifth = await grok.asked('refused');
    expect(await daemon.spool(['deny', id, '--request', fifth])).toMatchObject({ code: 0 });
    await grok.rests(2);
    expect([grok.made('refused'), (await grok.decisions()).at(-1)]).toEqual([false, ['deny', 'watcher']]);

    // Both sides answer at once: one answer counts, and the author of the other one learns it.
    await grok.prompt(making(Array.from({ length: RACES }, (_, at) => `race${at}`)));
    const agent = await client.openAgent(id);
    for (let at = 0; at < RACES; at++) {
      await grok.asked(`race${at}`);
      const [open] = await agent.requests();
      const [decided] = await Promise.all([
        agent.approve(open!),
        sleep(KEY_AFTER_MS[at % KEY_AFTER_MS.length]).then(() => client.write(id, PROCEED)),
      ]);
      const { decision, by } = decided.outcome as { decision: string; by: string };
      expect([decided.isOurs, decision]).toEqual([by === 'watcher', 'allow']);
      await until('it has run', () => grok.made(`race${at}`), STEP_MS_MAX);
    }
    await grok.rests(3);
    expect(await grok.of('permission.resolved')).toHaveLength(FILES.length + 1 + RACES);

    const events = await grok.events();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(await grok.of('tool.ended')).toHaveLength(FILES.length + 1 + RACES);
    const isOwn = (file: string): boolean => /^\/(?:\.grok|\.cache|tmp|project)\//.test(file);
    expect(home.files().filter((file) => !before.includes(file) && !isOwn(file))).toEqual([]);
  },
);
