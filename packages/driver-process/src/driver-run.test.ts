import type { Requester } from '@spool/client/driver';
import { DIALECTS } from '@spool/drivers';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test, vi } from 'vitest';
import { AgentMachine } from './agent-machine.ts';
import { type Checkpoint, decodeCheckpoint } from './checkpoint.ts';
import { DriverRun } from './driver-run.ts';
import { DriverPace } from './pace.ts';
import { FakeLogs } from './testing/fake-logs.ts';

const BUILD = 'b';
/** More lines than lie between two checkpoints. */
const LINES = 700;

function driverOf(
  logs: FakeLogs,
  from: Checkpoint | null,
): { readonly machine: AgentMachine; readonly run: DriverRun } {
  const machine = new AgentMachine(DIALECTS.claude, 's', { cwd: '/' }, from?.machine);
  const run = new DriverRun({
    requester: logs as unknown as Requester,
    session: 's',
    machine,
    from,
    build: BUILD,
    policy: { answers: () => [] },
    pace: new DriverPace(() => {}),
    onOutdated: () => {},
  });
  return { machine, run };
}

/**
 * Returns a log that grew while a driver worked, until its first checkpoint; a prompt comes before each record that it appends.
 */
async function interruptedAtCheckpoint(): Promise<{
  logs: FakeLogs;
  checkpoint: Checkpoint;
  prompts: readonly string[];
}> {
  const logs = new FakeLogs();
  const prompts: string[] = [];
  const { promise: checkpoint, resolve } = Promise.withResolvers<string>();
  logs.beforeAppend = () => {
    const clientId = `p${prompts.length}`;
    prompts.push(clientId);
    const command = { do: 'prompt', clientId, content: [{ type: 'text', text: clientId }] };
    logs.append({ type: 'command', at: 1, id: clientId, by: 'ann', command });
  };
  logs.onCheckpoint = (base64) => {
    logs.kill();
    resolve(base64);
  };
  void driverOf(logs, null).run.run();
  printLines(logs);
  return { logs, checkpoint: decodeCheckpoint(await checkpoint, BUILD)!, prompts };
}

function printLines(logs: FakeLogs): void {
  const line = JSON.stringify({ type: 'system', subtype: 'informational', content: 'x'.repeat(1000) });
  for (let count = 0; count < LINES; count++) logs.print(`${line}\n`);
}

/** Lets a driver take all input, up to the end of the agent. */
async function finished(logs: FakeLogs, from: Checkpoint | null): Promise<{ events: unknown[]; state: unknown }> {
  const { machine, run } = driverOf(logs, from);
  logs.exit();
  await run.run();
  const events = logs.batches.flatMap((batch) => batch.events);
  const said = events.map(({ at: _at, ...event }: AgentEvent) => event);
  return { events: said, state: { ...machine.state, status: null } };
}

test('[EVT-11] a prompt that came while a checkpoint was written is known to the driver that continues from it', async () => {
  const { logs, checkpoint, prompts } = await interruptedAtCheckpoint();
  // Some prompts are in the log before the end of the taken part, and no record has taken them.
  const taken = new Set(
    logs.batches.flatMap(({ inputs }) => inputs.map((input) => ('command' in input ? input.command : -1))),
  );
  const waiting = logs.commands.filter(({ offset }) => offset < checkpoint.end && !taken.has(offset));
  expect(waiting.length).toBeGreaterThan(0);

  const [continued, whole] = [logs.copy(), logs.copy()];
  const after = await finished(continued, checkpoint);
  expect(after).toEqual(await finished(whole, null));
  const accepted = JSON.stringify(after.events);
  for (const prompt of prompts) expect([prompt, accepted.includes(`"${prompt}"`)]).toEqual([prompt, true]);
});

test('[EVT-6, EVT-11] there is no checkpoint while a line for the agent is not written: the next driver would not write it', async () => {
  const logs = new FakeLogs();
  const writing = Promise.withResolvers<void>();
  logs.onWrite = () => writing.promise;
  const checkpoints: string[] = [];
  logs.onCheckpoint = (base64) => checkpoints.push(base64);
  void driverOf(logs, null).run.run();
  const understood = async (): Promise<void> => {
    printLines(logs);
    await vi.waitUntil(() => logs.consumed === logs.outputBytes, { timeout: 60_000 });
  };
  await understood();
  expect(logs.batches.some(({ writes }) => writes !== undefined)).toBe(true);
  expect(checkpoints).toEqual([]);
  writing.resolve();
  await understood();
  expect(checkpoints).not.toEqual([]);
  logs.kill();
});
