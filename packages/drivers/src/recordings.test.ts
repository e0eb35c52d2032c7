/** Every recording of every agent, whole, in random pieces, damaged, and step by step. */
import { readFileSync } from 'node:fs';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { DIALECTS, DRIVER_NAMES } from './dialects.ts';
import { countsTable } from './testing/counts.ts';
import { PAGE, TABLE } from './testing/counts-main.ts';
import { faultsOf } from './testing/faults.ts';
import { finalRecord } from './testing/final-record.ts';
import { eventsOf, inputsOf, pieces, randomNumbers, type AgentRecording, recordings } from './testing/recordings.ts';

/** Ways to cut each recording, as the issue asks. */
const CUTS = 50;

const of = (agent: string): readonly AgentRecording[] => recordings().filter((recording) => recording.agent === agent);

test.each(DRIVER_NAMES)(
  '[DRV-1, DRV-2, DRV-3] events of %s balance, fit the schema, and deltas join to final texts',
  (agent) => {
    const faults = of(agent).flatMap(({ name, bytes }) =>
      faultsOf(eventsOf(agent, inputsOf(bytes))).map((fault) => `${name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  },
);

test.each(DRIVER_NAMES)('no line in the recordings of %s is unknown', (agent) => {
  const unknown = of(agent).flatMap(({ name, bytes }) =>
    eventsOf(agent, inputsOf(bytes)).flatMap((event) => (event.kind === 'raw' ? [`${name}: ${event.type}`] : [])),
  );
  expect(unknown).toEqual([]);
});

test.each(DRIVER_NAMES)('[DRV-10] recordings of %s, cut at 50 random places each, are read alike', (agent) => {
  const random = randomNumbers(20261116);
  for (const { name, bytes } of of(agent)) {
    const whole = inputsOf(bytes);
    for (let cut = 0; cut < CUTS; cut++) {
      const again = inputsOf(bytes, pieces(bytes, random));
      // Comparing texts is 20 times as fast as comparing deeply, and says as much.
      if (JSON.stringify(again) !== JSON.stringify(whole)) expect(again, name).toEqual(whole);
    }
  }
});

test.each(DRIVER_NAMES)(
  '[DRV-10] a state of %s that was written down goes on alike, and no step changes one',
  (agent) => {
    const dialect = DIALECTS[agent];
    for (const { name, bytes } of of(agent)) {
      const inputs = inputsOf(bytes).slice(0, 80);
      let state = dialect.initial({ isReadOnly: true });
      let restored = state;
      for (const input of inputs) {
        const step = dialect.step(deepFrozen(state), input);
        const again = dialect.step(JSON.parse(JSON.stringify(restored)), input);
        expect(again.events, name).toEqual(step.events);
        ({ state } = step);
        restored = again.state;
      }
    }
  },
);

test.each(DRIVER_NAMES)(
  '[DRV-2, DRV-5] damaged recordings of %s still balance: lines lost, doubled, swapped and cut',
  (agent) => {
    const random = randomNumbers(4711);
    const faults = of(agent).flatMap(({ name, bytes }) => {
      const damaged = Buffer.from(damage(Buffer.from(bytes).toString().split('\n'), random).join('\n'));
      return faultsOf(eventsOf(agent, inputsOf(damaged))).map((fault) => `${name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  },
);

test.each(DRIVER_NAMES)('[DRV-2] a run of %s that dies after any line leaves nothing open', (agent) => {
  const random = randomNumbers(815);
  const faults = of(agent).flatMap(({ name, bytes }) => {
    const inputs = inputsOf(bytes);
    const died = inputs.slice(0, random(inputs.length));
    const events = eventsOf(agent, [...died, { type: 'exited', at: 1, signal: 'SIGKILL' }]);
    return faultsOf(events).map((fault) => `${name} after ${died.length}: ${fault}`);
  });
  expect(faults).toEqual([]);
});

test.each(DRIVER_NAMES)('[DRV-3] what %s shows at the end is what its own last records say', (agent) => {
  for (const { name, bytes } of of(agent)) {
    const inputs = inputsOf(bytes);
    const { wanted, got } = finalRecord(agent, inputs, eventsOf(agent, inputs));
    expect(got, name).toEqual(wanted);
  }
});

test('each event names the bytes of its line', () => {
  const [recording] = of('claude').filter(({ name }) => name === 'io-multiturn.ndjson');
  const text = Buffer.from(recording!.bytes);
  const deltas = eventsOf('claude', inputsOf(recording!.bytes)).filter(
    (event): event is AgentEvent & { kind: 'message.delta' } => event.kind === 'message.delta',
  );
  expect(deltas.length).toBeGreaterThan(3);
  for (const { raw, text: delta } of deltas) {
    const line = text.subarray(raw!.offset, raw!.offset + raw!.length).toString();
    expect(line.endsWith('\n')).toBe(true);
    expect(line).toContain(JSON.stringify(delta).slice(1, -1));
  }
});

test('the table of counts in docs/agents.md is up to date; `npm run docs` writes it', () => {
  expect(TABLE.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(countsTable());
});

function damage(lines: readonly string[], random: (below: number) => number): string[] {
  const damaged = [...lines];
  for (let times = 1 + random(8); times > 0; times--) {
    const [a, b] = [random(damaged.length), random(damaged.length)];
    const line = damaged[a] ?? '';
    const way = random(4);
    if (way === 0) damaged.splice(a, 1);
    else if (way === 1) damaged.splice(b, 0, line);
    else if (way === 2) [damaged[a], damaged[b]] = [damaged[b] ?? '', line];
    else damaged[a] = line.slice(0, random(line.length + 1));
  }
  return damaged;
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
