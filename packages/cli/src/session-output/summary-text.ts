/** A summary as a readable page or as JSON. Loaded by `spool summary`, and by `spool run --summary` at the end. */
import { type Client, summarize, type Summary } from '@spool/client/node';
import { longDuration } from '@spool/protocol/duration';
import { jsonText } from '../output/json-text.ts';
import { cutToWidth, printCommand, printable } from '../output/printable.ts';
import { terminalWidth, wantsColour } from '../output/stdio.ts';
import { endWords, isEnded } from '../output/session-words.ts';

const FILES_SHOWN = 20;
const COMMANDS_SHOWN = 10;
const MILESTONES_SHOWN = 12;

const LETTERS = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const;

export async function summaryText(client: Client, session: string, asJson: boolean): Promise<string> {
  const summary = await summarize(client, session);
  return asJson ? jsonText(summary) : await shownPage(summary);
}

/** Returns the page for stdout: on a terminal, long values are wrapped, other long lines are cut, and the outcome is bold. */
export async function shownPage(summary: Summary): Promise<string> {
  const [outcome, ...rest] = pageOf(summary);
  const width = terminalWidth();
  if (width === undefined) return [outcome, ...rest].join('\n');
  // Loaded on use: a static import would move it into the chunk of this file, which `help` then reads.
  const { wrapped } = await import('../command-line/wrapped-text.ts');
  const [first, ...more] = wrapped(outcome!, width, { hanging: 2 });
  const bold = (line: string): string => (wantsColour(1) ? `\x1b[1m${line}\x1b[m` : line);
  const fitted = rest.flatMap((line) =>
    FIELD.test(line) ? wrapped(line.trim(), width, { indent: 2, hanging: 9 }) : [cutToWidth(line, width)],
  );
  return [...[first!, ...more].map(bold), ...fitted].join('\n');
}

/** Formats a line with the name of a field: `  command  npm test`. */
const FIELD = /^ {2}(?:command|agent|prompt|folder|time) /;

export function pageOf(summary: Summary): string[] {
  const { id, name, command, cwd, driver, durationMs, milestones, commands, lastLines, changedFiles } = summary;
  const title = name === id ? id : `${printable(name)} (${id})`;
  return [
    `${title} ${outcome(summary)} ${longDuration(durationMs)}`,
    ...(driver
      ? [`  agent    ${printable(driver.name)}`, ...(driver.prompt ? [`  prompt   ${printable(driver.prompt)}`] : [])]
      : [`  command  ${printCommand(command)}`]),
    `  folder   ${printable(cwd)}`,
    ...(timeWords(summary) === '' ? [] : [`  time     ${timeWords(summary)}`]),
    ...section(
      'milestones',
      milestones
        .slice(-MILESTONES_SHOWN)
        .map(({ at, title: text }) => `after ${longDuration(at - summary.startedAt)}: ${printable(text)}`),
      milestones.length - MILESTONES_SHOWN,
    ),
    ...section(
      'commands',
      commands.slice(-COMMANDS_SHOWN).map(({ command: text, exitCode, durationMs: ms }) => {
        const how = exitCode === 0 ? 'ok' : `exit code ${exitCode ?? '?'}`;
        return `${printable(text ?? '?')}: ${how}, ${longDuration(ms)}`;
      }),
      commands.length - COMMANDS_SHOWN,
    ),
    ...(changedFiles === null
      ? []
      : section(
          changedFiles.length === 0 ? 'no file in its folder has changed' : 'files changed',
          changedFiles.slice(0, FILES_SHOWN).map(({ path, change, from, isCommitted }) => {
            const was = from === undefined ? '' : ` (was ${printable(from)})`;
            return `${LETTERS[change]} ${printable(path)}${was}${isCommitted ? ', committed' : ''}`;
          }),
          changedFiles.length - FILES_SHOWN,
          true,
        )),
    ...section(driver ? 'its last words' : 'last lines', lastLines.map(printable), 0),
  ];
}

function outcome(summary: Summary): string {
  if (isEnded(summary)) return `ended (${endWords(summary)}) after`;
  const { state, kind, activity } = summary.status;
  const doing = activity === null ? '' : `: ${printable(activity)}`;
  return `is ${state}${kind === null ? '' : ` (${printable(kind)})`}${doing}, running for`;
}

/** Formats the states, the longest first: `working 2m 50s, blocked 20s (twice)`. */
function timeWords({ timeIn, states }: Summary): string {
  return Object.entries(timeIn)
    .sort(([, a], [, b]) => b - a)
    .map(([state, ms]) => {
      const times = states.filter((span) => span.state === state).length;
      return `${state} ${longDuration(ms)}${state === 'blocked' ? ` (${times} time${times === 1 ? '' : 's'})` : ''}`;
    })
    .join(', ');
}

function section(title: string, lines: readonly string[], left: number, isTitleEnough = false): string[] {
  if (lines.length === 0) return isTitleEnough ? ['', title] : [];
  return ['', title, ...lines.map((line) => `  ${line}`), ...(left > 0 ? [`  and ${left} more`] : [])];
}
