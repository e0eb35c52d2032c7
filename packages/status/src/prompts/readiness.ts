/**
 * Decides whether an agent that may have just been started accepts a prompt: when its screen shows an empty input line, its
 * terminal is in raw mode, and the picture no longer changes. Earlier input is lost, or echoed by the terminal. Keeps IN-21.
 */
import type { PromptScreen } from './prompt-finding.ts';

/** The time after which an empty line counts even if other lines still change: an agent may work in a way that no rule knows. */
const MOVING_MS = 5000;
/** The time for a prompt whose line the rules know but do not find. */
const UNSEEN_LINE_MS = 3000;

/** The sources that know whether an agent waits or works; bytes and silence do not reveal its input line. */
const KNOWING: ReadonlySet<string> = new Set(['program', 'screen', 'title']);

/** The kind of an agent that, for example, has lost its server and would only keep the prompt. */
const TROUBLE = 'trouble';

export type StartingScreen = Pick<PromptScreen, 'input' | 'state' | 'kind' | 'source'> & {
  /** Whether the rules of the agent know the place of its input line. */
  readonly hasInputRules: boolean;
  /** Whether its terminal delivers whole lines, as before a program has requested keys. */
  readonly readsByLine: boolean;
};

/** Returns the time (in ms) for which the picture must not change before the agent counts as ready; null if it is not ready. */
export function readyAfterMs({
  hasInputRules,
  input,
  state,
  kind,
  source,
  readsByLine,
}: StartingScreen): number | null {
  if (!hasInputRules) return 0;
  if (readsByLine) return null;
  if (kind === TROUBLE) return null;
  const isKnown = KNOWING.has(source) && (state === 'idle' || state === 'working');
  if (input !== null) return isKnown ? 0 : MOVING_MS;
  return isKnown && state === 'idle' && kind === 'prompt' ? UNSEEN_LINE_MS : null;
}
