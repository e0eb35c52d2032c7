/** Commands that no client should send, but a log may hold: no dialect fails on one, and every event list stays balanced. */
import type { Command } from '@spool/protocol/agent';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DriverInput } from './dialect.ts';
import { DIALECTS, DRIVER_NAMES, type DriverName } from './dialects.ts';
import { Driver, type DriverOutput } from './driver.ts';
import { dialectOf } from './ledger/stepper.ts';
import { emptyLedger } from './ledger/state.ts';
import { anyCommand, anyJson, mutatedCommand, VALID_COMMANDS } from './testing/any-command.ts';
import { faultsOf } from './testing/faults.ts';
import { handshakeReplies, requestLine } from './testing/peer-lines.ts';

/** Requests of the agent, answers of a person to the one that is open, commands, and nonsense on the wire. */
const inputs = (agent: DriverName): fc.Arbitrary<Action[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ command: anyCommand }) },
      { weight: 3, arbitrary: fc.record({ command: mutatedCommand }) },
      { weight: 3, arbitrary: fc.record({ command: fc.constantFrom<unknown>(...VALID_COMMANDS) }) },
      { weight: 2, arbitrary: fc.record({ answer: fc.constantFrom<'allow' | 'deny'>('allow', 'deny') }) },
      { weight: 3, arbitrary: fc.nat(5).map((n) => ({ line: requestLine(agent, `r${n}`) })) },
      { weight: 1, arbitrary: fc.record({ line: anyJson }) },
    ),
    { maxLength: 30 },
  );

type Action = { readonly command: unknown } | { readonly answer: 'allow' | 'deny' } | { readonly line: unknown };

test.each(DRIVER_NAMES)('[DRV-17] no command makes %s fail or lose its balance', (agent) => {
  fc.assert(
    fc.property(inputs(agent), (actions) => {
      const run = new CommandRun(agent);
      for (const action of actions) {
        if ('command' in action) run.command(action.command as Command);
        else if ('answer' in action) run.answer(action.answer);
        else run.line(action.line);
      }
      expect(run.end()).toEqual([]);
      expect(run.refusals('failed')).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test.each(DRIVER_NAMES)('[DRV-17] %s refuses a command that is not valid, and works on', (agent) => {
  const run = new CommandRun(agent);
  const odd: unknown[] = [null, 1, 'prompt', [], {}, { do: 'fly' }, { do: 'prompt', content: null, clientId: 'a' }];
  for (const command of odd) run.command(command as Command);
  expect(run.refusals('invalid')).toHaveLength(odd.length);
  expect(run.events.findLast(({ kind }) => kind === 'command.refused')).toMatchObject({ do: 'prompt', clientId: 'a' });
  const written = run.command({ do: 'prompt', clientId: 'b', content: [{ type: 'text', text: 'hi' }] });
  expect(written.join()).toContain('hi');
  expect(run.end()).toEqual([]);
});

test('[DRV-17] a command on which a dialect fails is refused, and nothing of it has happened', () => {
  const dialect = dialectOf({
    source: 'claude',
    initial: (options) => ({ ledger: { ...emptyLedger(), isReady: true }, options }),
    message: () => false,
    typeOf: () => 'x',
    capabilities: ({ ledger }) => ({
      setMode() {
        ledger.startTurn('agent');
        ledger.write({ half: 'done' });
        throw new Error('a fault of ours');
      },
    }),
  });
  const before = dialect.initial();
  const command = { do: 'setMode' as const, mode: 'plan' };
  const { state, events, writes } = dialect.step(before, { type: 'command', command, id: 'c', by: 'ann', at: 1 });
  expect(events.filter(({ kind }) => kind !== 'status')).toEqual([
    expect.objectContaining({ kind: 'command.refused', command: 'c', code: 'failed', do: 'setMode', by: 'ann' }),
  ]);
  expect(writes).toEqual([]);
  expect(state.ledger).toEqual({ ...before.ledger, state: 'idle' });
});

class CommandRun {
  readonly events: DriverOutput['events'][number][] = [];
  readonly #driver: Driver;
  #at = 0;

  constructor(agent: DriverName) {
    this.#driver = new Driver(DIALECTS[agent], 'session', { cwd: '/project' });
    const written = [...this.#take({ type: 'started', at: 0 })];
    for (let line = written.shift(); line !== undefined; line = written.shift())
      for (const reply of handshakeReplies(agent, JSON.parse(line))) written.push(...this.line(reply));
  }

  command(command: Command): readonly string[] {
    const at = ++this.#at;
    return this.#take({ type: 'command', command, id: `c${at}`, by: 'ann', at });
  }

  /** Answers the oldest open permission, as a person who has seen it. */
  answer(behavior: 'allow' | 'deny'): void {
    const resolved = new Set(this.events.flatMap((event) => ('decision' in event ? event.request : [])));
    const ask = this.events.find((event) => event.kind === 'permission.requested' && !resolved.has(event.request));
    if (ask?.kind !== 'permission.requested') return;
    this.command({ do: 'permission', request: ask.request, behavior, digest: ask.digest! });
  }

  line(message: unknown): readonly string[] {
    const text = JSON.stringify(message) ?? 'null';
    return this.#take({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: ++this.#at });
  }

  refusals(code: string): unknown[] {
    return this.events.filter((event) => event.kind === 'command.refused' && event.code === code);
  }

  /** The faults of the whole run. */
  end(): string[] {
    this.#take({ type: 'exited', at: ++this.#at, exitCode: 0, signal: null });
    return faultsOf(this.events);
  }

  #take(input: DriverInput): readonly string[] {
    const { events, writes } = this.#driver.take(input);
    this.events.push(...events);
    return writes;
  }
}
