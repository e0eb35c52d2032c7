/** Counts the recordings of each agent and their events: the table in docs/agents.md. */
import { DRIVER_NAMES } from '../dialects.ts';
import { faultsOf } from './faults.ts';
import { eventsOf, inputsOf, recordings } from './recordings.ts';

const PROGRAMS: Readonly<Record<(typeof DRIVER_NAMES)[number], string>> = {
  claude: 'Claude Code 2.1.325, 2.1.239, 2.1.326',
  codex: 'Codex 0.166.0, 0.140.0, 0.169.0',
  opencode: 'OpenCode 1.18.33, 1.18.11',
  acp: 'claude-agent-acp 0.99.1, Gemini CLI 0.61.0',
  gemini: 'Gemini CLI 0.61.0',
  grok: 'Grok 1.0.41',
};

export function countsTable(): string {
  const head = [
    'driver',
    'recorded program',
    'recordings',
    'lines',
    'events',
    'turns',
    'messages',
    'tools',
    'permissions',
    'questions',
    'unknown lines',
    'faults',
  ];
  const rows = DRIVER_NAMES.map((agent) => {
    const own = recordings().filter((recording) => recording.agent === agent);
    const runs = own.map(({ bytes }) => inputsOf(bytes)).map((inputs) => ({ inputs, events: eventsOf(agent, inputs) }));
    const count = (kind: string): number =>
      runs.reduce((sum, { events }) => sum + events.filter((event) => event.kind === kind).length, 0);
    return [
      agent,
      PROGRAMS[agent],
      own.length,
      runs.reduce((sum, { inputs }) => sum + inputs.filter(({ type }) => type === 'line').length, 0),
      runs.reduce((sum, { events }) => sum + events.length, 0),
      ...['turn.ended', 'message.done', 'tool.ended', 'permission.resolved', 'question.resolved', 'raw'].map(count),
      runs.reduce((sum, { events }) => sum + faultsOf(events).length, 0),
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
