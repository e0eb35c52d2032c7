/**
 * Tests an agent that asks without end: the waiting requests are bounded, and each request is answered to the agent exactly once.
 */
import { expect, test } from 'vitest';
import { DIALECTS, DRIVER_NAMES, type DriverName } from './dialects.ts';
import type { DriverInput } from './dialect.ts';
import { Driver } from './driver.ts';
import { REQUESTS_OPEN_MAX } from '@spool/protocol/agent';
import { REQUESTS_BYTES_MAX } from './ledger/ledger.ts';
import { faultsOf } from './testing/faults.ts';
import { answerIn, handshakeReplies, requestLine, turnLines } from './testing/peer-lines.ts';

/** The number of requests: 3,000 with `npm test`; `npm run check` sends a tenth (`SPOOL_TEST_ROUNDS` in percent). */
const FLOOD = Math.max(2 * REQUESTS_OPEN_MAX, 30 * Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100));

test.each(DRIVER_NAMES)(
  '[REQ-7] a flood of requests of %s: those that wait are bounded, each is answered once',
  (agent) => {
    const run = new FloodRun(agent);
    for (let n = 0; n < FLOOD; n++) run.says(requestLine(agent, `r${n}`));
    expect(run.waiting).toHaveLength(REQUESTS_OPEN_MAX);
    expect(run.answers.size).toBe(FLOOD - REQUESTS_OPEN_MAX);
    const denied = run.events.filter((event) => event.kind === 'permission.resolved' && event.by === 'driver');
    expect(denied).toHaveLength(FLOOD - REQUESTS_OPEN_MAX);
    expect(denied[0]).toMatchObject({ decision: 'deny', message: expect.stringContaining('too many') });
    for (const { request, digest } of run.waiting)
      run.take({ type: 'command', command: { do: 'permission', request, digest: digest!, behavior: 'allow' } });
    expect(run.answers.size).toBe(FLOOD);
    expect(new Set(run.answers.values())).toEqual(new Set([1]));
    expect(run.allowed).toBe(REQUESTS_OPEN_MAX);
    run.take({ type: 'exited', exitCode: 0, signal: null });
    expect(faultsOf(run.events)).toEqual([]);
  },
);

test.each(DRIVER_NAMES)('[REQ-7] the state of %s stays small, whatever its requests hold', (agent) => {
  const run = new FloodRun(agent);
  for (let n = 0; n < 400; n++) run.says(requestLine(agent, `r${n}`, `${n} `.padEnd(60_000, 'x')));
  // The input is kept by the ledger, by the tool call and by the dialect, to be given back with the answer.
  expect(run.stateCharacters).toBeLessThan(6 * REQUESTS_BYTES_MAX);
  expect(run.answers.size + run.waiting.length).toBe(400);
  expect(new Set(run.answers.values())).toEqual(new Set([1]));
});

type UnstampedInput<Input> = Input extends unknown ? Omit<Input, 'at' | 'id' | 'by'> : never;
type FloodEvent = ReturnType<Driver['take']>['events'][number];

class FloodRun {
  readonly events: FloodEvent[] = [];
  /** The number of answers to the agent for each request. */
  readonly answers = new Map<string, number>();
  allowed = 0;
  readonly #agent: DriverName;
  readonly #driver: Driver;
  #at = 0;

  constructor(agent: DriverName) {
    this.#agent = agent;
    this.#driver = new Driver(DIALECTS[agent], 'session', { cwd: '/project' });
    const written = [...this.take({ type: 'started' })];
    for (let line = written.shift(); line !== undefined; line = written.shift())
      for (const reply of handshakeReplies(agent, JSON.parse(line))) written.push(...this.says(reply));
    this.take({ type: 'command', command: { do: 'prompt', clientId: 'p', content: [{ type: 'text', text: 'go' }] } });
    for (const line of turnLines(agent)) this.says(line);
    this.answers.clear();
  }

  says(message: unknown): readonly string[] {
    const text = JSON.stringify(message);
    return this.take({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1 });
  }

  take(input: UnstampedInput<DriverInput>): readonly string[] {
    const at = ++this.#at;
    const { events, writes } = this.#driver.take({ id: `c${at}`, by: 'ann', ...input, at } as DriverInput);
    this.events.push(...events);
    for (const line of writes) {
      const answer = answerIn(this.#agent, JSON.parse(line));
      if (!answer) continue;
      this.answers.set(answer.id, (this.answers.get(answer.id) ?? 0) + 1);
      if (answer.isAllowed) this.allowed++;
    }
    return writes;
  }

  get waiting(): Extract<FloodEvent, { readonly kind: 'permission.requested' }>[] {
    const resolved = new Set(
      this.events.flatMap((event) => (event.kind === 'permission.resolved' ? event.request : [])),
    );
    return this.events.flatMap((event) =>
      event.kind === 'permission.requested' && !resolved.has(event.request) ? [event] : [],
    );
  }

  get stateCharacters(): number {
    return JSON.stringify(this.#driver.checkpoint).length;
  }
}
