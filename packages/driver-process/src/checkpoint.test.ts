/** Tests that a driver which continues from a checkpoint reports the same as one that has read the whole log. */
import { DIALECTS, DRIVER_NAMES } from '@spool/drivers';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { inputsOf, randomNumbers, recordings } from '@spool/drivers/testing';
import { AgentMachine, type MachineState } from './agent-machine.ts';
import { type Checkpoint, CHECKPOINT_BYTES_MAX, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';

/** The number of cuts of each recording; each is a restart. */
const CUTS = 6;

const machineOf = (agent: (typeof DRIVER_NAMES)[number], from?: MachineState): AgentMachine =>
  new AgentMachine(DIALECTS[agent], 'session', { isReadOnly: true }, from);

function published(machine: AgentMachine): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (let event = machine.next(1); event; event = machine.next(1)) events.push(event);
  machine.takeWrites();
  return events;
}

function checkpointOf(machine: MachineState): Checkpoint {
  const lastBatch = { offset: 0, driver: 'd', at: 1 };
  return { build: 'b', end: 1, commandsFrom: 1, consumed: 1, lastBatch, machine };
}

test.each(DRIVER_NAMES)(
  '[EVT-11] recordings of %s, with restarts from checkpoints at random places, give the same events, status and state',
  (agent) => {
    const random = randomNumbers(120_821);
    for (const { name, bytes } of recordings().filter((recording) => recording.agent === agent)) {
      const inputs = inputsOf(bytes);
      const whole = machineOf(agent);
      let cut = machineOf(agent);
      const cuts = new Set(Array.from({ length: CUTS }, () => random(inputs.length)));
      const wanted: AgentEvent[] = [];
      const got: AgentEvent[] = [];
      for (const [at, input] of inputs.entries()) {
        whole.take(input);
        cut.take(input);
        wanted.push(...published(whole));
        got.push(...published(cut));
        if (!cuts.has(at)) continue;
        const base64 = encodeCheckpoint(checkpointOf(cut.state));
        cut = machineOf(agent, decodeCheckpoint(base64, 'b')!.machine);
        expect(JSON.stringify(cut.status.at(0)), name).toBe(JSON.stringify(whole.status.at(0)));
      }
      expect(JSON.stringify(got), name).toBe(JSON.stringify(wanted));
      expect(cut.state, name).toEqual(whole.state);
    }
  },
);

test('[EVT-11] a command that was carried out before the checkpoint is not carried out again after it', () => {
  const machine = machineOf('claude');
  const command = { do: 'prompt', clientId: 'p', content: [] } as const;
  machine.take({ type: 'command', command, id: 'c1', by: 'ann', at: 1 });
  published(machine);
  const next = machineOf('claude', JSON.parse(JSON.stringify(machine.state)));
  expect(next.take({ type: 'command', command, id: 'c1', by: 'ann', at: 2 })).toEqual([]);
  expect(published(next)).toEqual([]);
});

test('[EVT-11] a checkpoint of another program does not count, and one that is too large is none', () => {
  const base64 = encodeCheckpoint(checkpointOf(machineOf('claude').state));
  expect(decodeCheckpoint(base64, 'another')).toBeNull();
  expect(decodeCheckpoint(null, 'b')).toBeNull();
  const large = { ...machineOf('claude').state, dialect: { text: 'x'.repeat(CHECKPOINT_BYTES_MAX) } };
  expect(encodeCheckpoint(checkpointOf(large))).toBeNull();
  const many = { ...machineOf('claude').state, ids: Array.from({ length: 200_000 }, () => 'xx') };
  expect(encodeCheckpoint(checkpointOf(many))).toBeNull();
});
