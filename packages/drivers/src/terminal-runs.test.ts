/** Recorded runs of agents in their terminals: what the events say is what the agent has recorded about itself. */
import { expect, test } from 'vitest';
import { faultsOf } from './testing/faults.ts';
import { factsOfEvents, factsOfRecord } from './testing/terminal-facts.ts';
import { eventsOfRun, type TerminalAgentName, terminalRuns } from './testing/terminal-runs.ts';

const RUNS_MIN = 30;
const RUNS = terminalRuns();
const agentOf = (name: string): TerminalAgentName => name.split('-')[0] as TerminalAgentName;

test(`at least ${RUNS_MIN} runs of four agents are recorded`, () => {
  expect(RUNS.size).toBeGreaterThanOrEqual(RUNS_MIN);
  expect([...new Set([...RUNS.keys()].map(agentOf))]).toEqual(['claude', 'codex', 'grok', 'opencode']);
});

test.each([...RUNS.keys()])(
  "[CHAN-4] %s: prompts, texts, thoughts, tools and changes are those of the agent's record",
  (name) => {
    const run = RUNS.get(name)!;
    expect(factsOfEvents(eventsOfRun(agentOf(name), run))).toEqual(factsOfRecord(agentOf(name), run.record));
  },
);

test.each([...RUNS.keys()])(
  '[DRV-1, DRV-2, DRV-3] %s: the events balance, and each answer of a client counts once',
  (name) => {
    const run = RUNS.get(name)!;
    const events = eventsOfRun(agentOf(name), run);
    expect(faultsOf(events)).toEqual([]);
    const decided = events.flatMap((event) =>
      event.kind === 'permission.resolved' && event.by === 'watcher' ? [event.decision] : [],
    );
    expect(decided).toEqual(run.answers.flatMap((answer) => (answer.do === 'permission' ? [answer.behavior] : [])));
  },
);
