/**
 * `spool explain`: the state of a session, and the evidence for and against it. Keeps STATE-4 and, with `--save`,
 * STATE-9.
 */
import type { Evidence, HistoryItem, SideChannel, Status } from '@spool/protocol';
import { shortDuration } from '@spool/protocol/duration';
import { formatTime } from '../output/local-time.ts';
import { printable } from '../output/printable.ts';
import { openForRequests, type VerbAction } from '../program.ts';
import { sessionJson } from '../output/session-json.ts';
import { print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';

const explain: VerbAction<'explain'> = async ({ flags, operands }, program) => {
  if (flags.save !== undefined || flags.note !== undefined) {
    const { explainAndSave } = await import('../rule-cases/save-case.ts');
    return await explainAndSave(program, operands[0] ?? '', flags);
  }
  await using client = await openForRequests(program);
  const { id, status, history, sideChannel } = await client.explain(operands[0] ?? '');
  const session = await client.get(id);
  const { name } = session;
  if (flags.json) {
    printJson({
      ...sessionJson(session),
      status,
      ...(sideChannel && { sideChannel }),
      ...(flags.history && { history }),
    });
    return 0;
  }
  print(explanation(id, name, status, Date.now(), terminalWidth()).join('\n'));
  if (sideChannel) print(`\n${sideChannelLine(sideChannel)}`);
  if (flags.history && history.length > 0) print(`\n${history.map(historyLine).join('\n')}`);
  return 0;
};

export default explain;

export function explanation(id: string, name: string, status: Status, now: number, width?: number): string[] {
  const { state, kind, since, confidence, agent, activity, thought, progress, evidence } = status;
  const facts: [string, string | null][] = [
    ['agent', agent],
    ['activity', activity],
    ['thought', thought],
    ['progress', progress === null ? null : `${progress} %`],
  ];
  return [
    `${printable(name)} (${id}) has been ${state}${kind === null ? '' : ` (${printable(kind)})`} for ${shortDuration(now - since)}, confidence ${percent(confidence)}`,
    ...facts.flatMap(([label, text]) => (text === null ? [] : [`  ${label}: ${printable(text)}`])),
    ...(evidence.length === 0 ? [] : ['', ...evidenceTable(evidence, now, width)]),
  ];
}

function evidenceTable(evidence: readonly Evidence[], now: number, width: number | undefined): string[] {
  const columns = [
    { title: 'SAYS' },
    { title: 'SURE', right: true },
    { title: 'SOURCE' },
    { title: 'AGO', right: true },
    { title: 'RULE' },
    { title: 'WHY' },
  ] as const;
  return formatTable(
    columns,
    evidence.map(({ says, confidence, source, at, rule, why }) => [
      says,
      percent(confidence),
      source,
      shortDuration(now - at),
      rule ?? '',
      printable(why),
    ]),
    width,
  );
}

const PROGRAMS: Readonly<Record<SideChannel['agent'], string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini',
  grok: 'Grok',
  opencode: 'OpenCode',
};

const CHANNELS: Readonly<Record<SideChannel['agent'], string>> = {
  claude: 'hooks',
  codex: 'its own app-server',
  gemini: 'its chat file',
  grok: 'its own leader',
  opencode: 'its own port',
};

/** Describes the app-server: `Codex 0.169.0 has its own app-server: PATH`, or why there is none. */
export function sideChannelLine({ agent, version, socket, hasEvents, why }: SideChannel): string {
  const program = `${PROGRAMS[agent]}${version === null ? '' : ` ${version}`}`;
  return printable(`${program} ${sideChannelText(agent, socket, hasEvents, why ?? '')}`);
}

function sideChannelText(agent: SideChannel['agent'], socket: string | null, hasEvents: boolean, why: string): string {
  if (socket !== null) return `has its own ${agent === 'codex' ? 'app-server' : 'leader'}: ${socket}`;
  if (hasEvents) return `reports its events by ${CHANNELS[agent]}`;
  return agent === 'codex' ? `has no separate app-server: ${why}` : `has no side channel: ${why}`;
}

const percent = (part: number): string => `${Math.round(part * 100)} %`;

function historyLine(item: HistoryItem): string {
  const time = formatTime(item.at);
  switch (item.type) {
    case 'status':
      return `${time} ${item.state}${item.kind ? ` (${item.kind})` : ''}: ${printable(item.why)}`;
    case 'milestone':
      return `${time} milestone: ${printable(item.title)}`;
    case 'typed':
      return `${time} typed: ${printable(item.who)}`;
    case 'command':
      return `${time} command: ${printable(item.command ?? '?')}: exit code ${item.exitCode ?? '?'} after ${item.durationMs} ms`;
  }
}
