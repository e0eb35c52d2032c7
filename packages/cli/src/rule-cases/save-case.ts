/**
 * `spool explain --save`: writes the screen of a session, the reading of the rules and the user's correction, as a case for
 * `spool doctor rules` [STATE-9]. A screen may show secrets: only the user may read the file.
 */
import { writeFileSync } from 'node:fs';
import { homeFrom } from '@spool/client/node';
import { type CheckedCase, type SessionInfo, SpoolError, type Status } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';
import { printable } from '../output/printable.ts';
import { namedJson } from '../output/session-json.ts';
import { print, printJson } from '../output/stdio.ts';
import { makeOwnFolders } from '../own-folders.ts';
import { openClient, type ProgramLocation } from '../program.ts';
import { reading } from './case-lines.ts';
import { checkedConfig } from './checked-config.ts';

const CASE_STATES = ['working', 'blocked', 'idle'] as const;
type CaseState = (typeof CASE_STATES)[number];

/** The part of `screen --format json` that rules can see. */
interface RuleScreen {
  readonly cols: number;
  readonly rows: number;
  readonly title: string;
  readonly isAlternate: boolean;
  readonly cursor: { readonly row: number; readonly col: number; readonly isVisible: boolean };
  readonly lines: readonly { readonly runs: readonly { readonly text: string }[] }[];
}

interface SaveCaseOptions {
  readonly save: string | undefined;
  readonly note: string | undefined;
  readonly json: boolean;
}

export async function explainAndSave(
  program: ProgramLocation,
  ref: string,
  { save, note = '', json }: SaveCaseOptions,
): Promise<number> {
  const should = caseState(save);
  await using client = await openClient(program);
  const { id, status } = await client.explain(ref);
  const session = await client.get(id);
  if (session.state !== 'running') throw new SpoolError('SESSION_EXITED', { session: session.name });
  if (session.size === null) throw new SpoolError('NOT_A_TERMINAL', { session: session.name });
  const screen = JSON.parse((await client.screen(id, { format: 'json' })).content) as RuleScreen;
  const home = homeFrom(process.env, process.getuid?.() ?? 0);
  const folder = `${home.config}/rules/cases`;
  makeOwnFolders(folder);
  const file = written(folder, `${slug(session.name)}-${should}`, caseText(session, screen, status, should, note));
  const checked = (await checkedConfig(program, home)).cases.find((each) => each.file === file);
  if (json) printJson({ ...namedJson(session), ...(checked ?? { file }) });
  else print(savedLines(file, session.name, should, checked).join('\n'));
  return 0;
}

function caseState(text: string | undefined): CaseState {
  if (text === undefined) throw new UsageError('--note requires --save STATE', 'explain');
  const state = CASE_STATES.find((each) => each === text);
  if (state !== undefined) return state;
  const states = CASE_STATES.join(', ');
  throw new UsageError(`--save ${JSON.stringify(text)} is not a state; use ${states}`, 'explain');
}

function savedLines(file: string, name: string, should: CaseState, checked: CheckedCase | undefined): string[] {
  const saved = `${printable(name)} is ${should}: saved as ${printable(file)}`;
  if (checked === undefined) return [saved];
  const verdict = checked.isRight
    ? `The rules read this screen correctly: ${reading(checked)}`
    : `The rules misread this screen: ${reading(checked)}. Add a rule of your own (see docs/state.md), then run spool doctor rules.`;
  return [saved, verdict];
}

function caseText(session: SessionInfo, screen: RuleScreen, status: Status, should: CaseState, note: string): string {
  const { cols, rows, title, isAlternate, cursor } = screen;
  const { state, kind, source, confidence, agent, evidence } = status;
  const content = {
    should,
    ...(note !== '' && { note }),
    savedAt: Date.now(),
    command: session.command,
    agent,
    size: { cols, rows },
    screen: {
      title,
      isAlternate,
      cursor: { row: cursor.row, col: cursor.col, isVisible: cursor.isVisible },
      lines: screen.lines.map(({ runs }) =>
        runs
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      ),
    },
    read: { state, kind, source, confidence, evidence },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Writes the file under the first name that is free. An existing file is never replaced. */
function written(folder: string, name: string, text: string): string {
  for (let number = 1; ; number++) {
    const file = `${folder}/${name}${number === 1 ? '' : `-${number}`}.json`;
    try {
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Makes a file name from the name of a session, which may have any characters. */
const slug = (name: string): string =>
  name
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60) || 'session';
