/** Replays the recordings whose marks contain the true status (tests/fixtures/marks), and compares. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Question, Status, StatusState } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import type { TapeEvent, StatusRecording } from './recordings.ts';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import type { RuleSet } from '../rules.ts';
import { replay } from './replay.ts';

const FOLDER = new URL('../../../../tests/fixtures/marks/', import.meta.url);

interface Truth {
  readonly truth: StatusState;
  readonly question?: string;
  readonly subject?: string;
}

export interface MarkedRecording extends StatusRecording {
  readonly isHeldOut: boolean;
}

export interface Mark {
  readonly recording: string;
  readonly agent: string;
  readonly ms: number;
  readonly label: string;
  readonly truth: StatusState;
  readonly found: StatusState;
  readonly by: string;
  /** The errors in the words of a dialog; '' if they are right. */
  readonly words: string;
}

export function markedRecordings(folder: URL = FOLDER): readonly MarkedRecording[] {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.pty.gz') ? [file.slice(0, -7)] : []));
  return names.sort().map((name) => {
    const unpacked = (suffix: string): Buffer => gunzipSync(readFileSync(new URL(`${name}.${suffix}.gz`, folder)));
    const { cols, rows, args, heldOut, events } = JSON.parse(unpacked('json').toString()) as {
      cols: number;
      rows: number;
      args: readonly string[];
      heldOut: boolean;
      events: readonly TapeEvent[];
    };
    const bytes = new Uint8Array(unpacked('pty'));
    return { name, agent: name.split('-')[0]!, command: args, cols, rows, bytes, events, isHeldOut: heldOut };
  });
}

/** Returns the status at each mark, and the samples at which a visible dialog was read as idle. */
export function marksOf(
  recording: StatusRecording,
  withholds?: (fact: OscEvent) => boolean,
  rules?: readonly RuleSet[],
): { readonly marks: readonly Mark[]; readonly idleInDialog: readonly string[] } {
  const marks: Mark[] = [];
  const idleInDialog: string[] = [];
  let dialog: string | null = null;
  replay(recording, {
    ...(withholds && { withholds }),
    ...(rules && { rules }),
    onStep: (ms, { state }) => {
      if (dialog !== null && state === 'idle') idleInDialog.push(`${recording.name} ${ms} ms ${dialog}`);
    },
    onEvent: (event, status) => {
      if (event[1] === 'i') dialog = null;
      const wanted = truthOf(recording.name, event);
      if (wanted === undefined) return;
      const [ms, , label] = event;
      dialog = wanted.truth === 'blocked' ? (label as string) : null;
      marks.push({
        recording: recording.name,
        agent: recording.agent,
        ms,
        label: label as string,
        ...verdict(wanted, status),
      });
    },
  });
  return { marks, idleInDialog };
}

function truthOf(recording: string, event: TapeEvent): Truth | undefined {
  if (event[1] !== 'm') return undefined;
  const [ms, , , , truth] = event as unknown as readonly [number, 'm', string, number, Truth | undefined];
  const drawn = NOT_DRAWN_YET[`${recording} ${ms}`];
  return truth === undefined || drawn === undefined ? truth : { truth: drawn };
}

/**
 * Marks for which the script was wrong; these were found by examining the mistakes. The values are the true states; the words of
 * these dialogs are not compared. The first figures in docs/state.md count them as they are in the files.
 */
const NOT_DRAWN_YET: Readonly<Record<string, StatusState>> = {
  // The key was pressed, but the program had not reacted on its screen.
  'claude-status6 12202': 'idle',
  'claude-status6 26022': 'blocked',
  'claude-v211 12291': 'idle',
  // The key for a denial had no effect: the dialog was still visible, and got the next prompt.
  'claude-p1 49744': 'blocked',
  'gemini-p1 59034': 'blocked',
  'grok-p1 44641': 'blocked',
  // The model had answered, and the program still showed work: it got no processor time to paint the end.
  'claude-p2 91672': 'working',
  'opencode-p3 162895': 'working',
  'opencode-p3 181149': 'working',
  'opencode-p3 182738': 'working',
  'opencode-p3 201079': 'working',
  // The script mistook a quoted dialog in an answer for the next real one.
  'claude-p3 76628': 'working',
  'opencode-p3 191170': 'working',
  'opencode-s2 97801': 'working',
  // Of two dialogs, the script did not know which came first.
  'codex-p2 23524': 'blocked',
  'codex-p2 24931': 'blocked',
  'codex-p2 30407': 'blocked',
  'codex-p2 31816': 'blocked',
  // The command is on the screen, but not in the dialog, which is too small for it.
  'grok-p3 21835': 'blocked',
  'grok-p3 23260': 'blocked',
  'grok-q1 11959': 'blocked',
  'grok-q1 13359': 'blocked',
  'grok-s2 25561': 'blocked',
  'grok-s2 26962': 'blocked',
  'grok-s2 32084': 'blocked',
  'grok-s2 33484': 'blocked',
  // In this terminal the agent asks at its start, which the script did not know: whether to connect to the editor.
  'gemini-q2 19141': 'blocked',
  'gemini-q2 20604': 'blocked',
  'gemini-q2 21718': 'blocked',
  'gemini-q2 23421': 'blocked',
};

function verdict({ truth, question, subject }: Truth, status: Status): Pick<Mark, 'truth' | 'found' | 'by' | 'words'> {
  const { state: found, evidence, source } = status;
  const words = truth === 'blocked' && found === 'blocked' ? wrongWords(status.question, question, subject) : '';
  return { truth, found, by: evidence[0]?.rule ?? source, words };
}

function wrongWords(told: Question | undefined, question: string | undefined, subject: string | undefined): string {
  if (told === undefined) return 'no question';
  if (question !== undefined && told.text !== question) return `asks "${told.text}", not "${question}"`;
  if (subject !== undefined && !`${told.text} ${told.subject ?? ''}`.includes(subject))
    return `is about "${told.subject ?? ''}", not "${subject}"`;
  return '';
}

/** The rules for a program that Spool does not know: those for any program. */
export const RULES_FOR_ANY: readonly RuleSet[] = BUILT_IN_RULES.filter(({ agent }) => agent === null);

/** Returns the same recording of a program with other hints and other spinners; of the same length. */
export function reworded(recording: MarkedRecording): MarkedRecording {
  let text = Buffer.from(recording.bytes).toString('latin1');
  for (const [from, to] of REWORDED) text = text.replaceAll(latin1(from), latin1(to));
  return { ...recording, bytes: new Uint8Array(Buffer.from(text, 'latin1')) };
}

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const REWORDED: readonly (readonly [string, string])[] = [
  ['esc to interrupt', 'hit q to halt it'],
  ['esc interrupt', 'q will halt  '],
  ['esc to cancel,', 'q will halt  ,'],
  ['[stop]', '[halt]'],
  ['Ctrl+c:cancel', 'Ctrl+c:ending'],
  ['…', '‥'],
  ...pairs('✢✳✶✻✽', '◰◱◲◳◴'),
  ...pairs('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '▁▂▃▅▆▇▉▊▋▍'),
];

function pairs(from: string, to: string): (readonly [string, string])[] {
  const others = [...to];
  return [...from].map((character, at) => [character, others[at]!] as const);
}
