/**
 * Runs `spool daemon upgrade` to programs that crash or hang at one step of the hand-over. After each, the predecessor must serve, with the
 * same children, the same open request and a wait that is still open. At the end a good program takes over.
 */
import type { Client } from '@spool/client';
import type { DaemonStatus } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { Installation } from '../support/installation.ts';
import { askingAgent } from '../support/asking-agent.ts';

export type HandOverStep =
  | 'keeper loads'
  | 'keeper starts'
  | 'keeper adopts'
  | 'keeper serves'
  | 'holder starts'
  | 'holder holds'
  | 'holder commits'
  | 'screens start'
  | 'driver starts'
  | 'gateway starts';
export type FailureKind = 'crash' | 'hang';

export interface FailedUpgrade {
  readonly step: HandOverStep;
  readonly code: number | null;
  readonly stderr: string;
  /** The facts that differ from before: the version, the children, the open request, the gateway. */
  readonly kept: readonly string[];
}

export interface FailingSuccessorReport {
  readonly upgrades: readonly FailedUpgrade[];
  /** The result of the upgrade to a good program. */
  readonly good: { readonly upgraded: boolean; readonly sessions: number; readonly requests: number };
  readonly waited: string;
  readonly answers: readonly string[];
}

const FAIL: Readonly<Record<FailureKind, string>> = {
  crash: 'process.exit(3);',
  // Until its parent is gone, so that none is left at the end.
  hang: '{ const parent = process.ppid; do Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); while (process.ppid === parent); process.exit(); }',
};
const STARTED = "process.argv[2] !== '--check'";
const PTY = { cols: 80, rows: 24 };

/** Puts the failure into one program of the installation. */
function spoil(next: Installation, step: HandOverStep, fail: string): void {
  const before = (name: string, code: string): void => next.edit(name, (text) => `${code}\n${text}`);
  const at = (name: string, place: string, code: string): void =>
    next.edit(name, (text) => {
      if (text.split(place).length !== 2) throw new Error(`${name} has not one place with ${place}`);
      return text.replace(place, code);
    });
  switch (step) {
    case 'keeper loads':
      return before('keeper.mjs', `if (!(${STARTED})) ${fail}`);
    case 'keeper starts':
      return before('keeper.mjs', `if (${STARTED}) ${fail}`);
    case 'keeper adopts':
      return at('keeper.mjs', 'case "adopted": return this.#begin();', `case "adopted": ${fail}`);
    case 'keeper serves':
      return at('keeper.mjs', 'this.#holder.send({ type: "serving" });', `$&; setTimeout(() => { ${fail} }, 50);`);
    case 'holder starts':
      return before('holder.mjs', `if (${STARTED}) ${fail}`);
    case 'holder holds':
      return at('holder.mjs', 'case "handed": return', `case "handed": ${fail} return`);
    case 'holder commits':
      return at('holder.mjs', 'case "commit":', `case "commit": ${fail}`);
    case 'screens start':
      return before(
        'screens.mjs',
        `import { isMainThread as isChecked } from 'node:worker_threads'; if (!isChecked) { ${fail} }`,
      );
    case 'driver starts':
      return before('driver.mjs', `if (${STARTED}) ${fail}`);
    case 'gateway starts':
      return before('gateway.mjs', `if (${STARTED}) ${fail}`);
  }
}

export default async function (input: {
  readonly steps: readonly HandOverStep[];
  readonly kind: FailureKind;
}): Promise<FailingSuccessorReport> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await daemon.spool(['web', '--no-open', '--port', daemon.gatewayPort]);
  const cats = [];
  for (const size of [PTY, PTY, null])
    cats.push(await client.run({ command: ['cat'], size, env: { PATH: process.env.PATH! } }));
  const agent = await askingAgent(daemon, client, 0);
  const waiting = client.wait(cats[0]!.id);
  waiting.catch(() => {}); // an error of the body is the one to be reported
  const first = await snapshot(client);
  const upgrades: FailedUpgrade[] = [];
  for (const step of input.steps) {
    using next = new Installation();
    for (const name of ['keeper.mjs', 'spool.cjs', 'holder.mjs', 'gateway.mjs'])
      next.edit(name, (text) => text.replaceAll(/const VERSION[\w$]* = "/g, '$&99.'));
    spoil(next, step, FAIL[input.kind]);
    const { code, stderr } = await next.spool(daemon, 'daemon', 'upgrade');
    const kept = await snapshot(client);
    upgrades.push({ step, code, stderr, kept: kept.filter((each, at) => each !== first[at]) });
  }
  const { upgraded, sessions, requests } = await daemon.json<FailingSuccessorReport['good']>('daemon', 'upgrade');
  await daemon.json('approve', agent.name, '--request', agent.request);
  await until('the agent is answered', () => agent.answers().length > 0, 60_000);
  await client.stop(cats[0]!.id);
  return {
    upgrades,
    good: { upgraded, sessions, requests },
    waited: (await waiting).state,
    answers: agent.answers(),
  };
}

/** Returns what an upgrade that fails must leave as it is. */
async function snapshot(client: Client): Promise<readonly string[]> {
  await until('the gateway serves', async () => Boolean((await client.status()).gateway), 60_000);
  const { version, sessions }: DaemonStatus = await client.status();
  const running = (await client.list()).filter(({ state }) => state === 'running');
  const agents = running.filter(({ driver }) => driver !== undefined);
  const open = async (): Promise<boolean> =>
    (await client.list()).some(
      ({ status, driver }) => driver?.state === 'running' && (status.requests ?? []).length === 1,
    );
  await until('the request is open', open, 60_000);
  return [
    version,
    JSON.stringify(sessions),
    JSON.stringify(running.map(({ id, pid }) => [id, pid]).sort()),
    JSON.stringify(agents.map(({ driver }) => driver?.state)),
  ];
}
