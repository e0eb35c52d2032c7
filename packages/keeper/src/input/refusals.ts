/**
 * The reasons to refuse a prompt. Keeps IN-7, IN-8, IN-9 and IN-11, with `careful-typing.ts`.
 */
import { SpoolError } from '@spool/protocol';
import { cleanText } from '@spool/vt';
import type { Judge } from './careful-typing.ts';
import type { Look } from '../screens/messages.ts';
import { foregroundOf } from '../screens/insight/foreground.ts';
import type { Session } from '../session/session.ts';

/** An error quotes at most this much of the text in an input line. */
const TOLD_CHARACTERS_MAX = 200;
const TAKES_COMMANDS =
  'it is a full-screen program that Spool does not know, and may take text as commands (`spool send` types it anyway)';
/** An input line that was just submitted is empty within this time; text that stays longer is real text. */
const LEFT_OVER_MS = 300;

/** Enter must not answer a dialog, neither one on the screen nor one that a shell's running command is about to show. */
export function refuseDialogs(session: Session): Judge {
  return ({ asks, kind, isUnsettled, agent, state }) => {
    if (isUnsettled) return 'again';
    if (asks === null) {
      const command = state === 'working' && (agent === null || agent === 'shell') ? foregroundOf(session.pid) : null;
      if (command === null) return 'type';
      throw new SpoolError('INPUT_BUSY', { session: session.name, reason: toldCommand(command) });
    }
    throw new SpoolError('INPUT_BLOCKED', { session: session.name, reason: asks, kind: kind ?? '' });
  };
}

/**
 * An editor or a pager takes text as commands. On the alternate screen, a program without rules gets a prompt only if
 * something other than silence shows that it waits for text: its own report, or an input line on its screen.
 */
export function refuseFullScreen(session: Session, judge: Judge): Judge {
  return (look) => {
    const verdict = judge(look);
    if (verdict === 'again' || !look.isAlternate || isKnownAgent(look)) return verdict;
    if (look.state === 'idle' && look.source !== 'output') return verdict;
    throw new SpoolError('STATE_UNKNOWN', { session: session.name, reason: TAKES_COMMANDS });
  };
}

/** Enter must not submit text that was already in the input line. */
export function refuseLeftOvers(session: Session): Judge {
  const judgeDialogs = refuseDialogs(session);
  let since: number | null = null;
  return (look) => {
    const verdict = judgeDialogs(look);
    if (verdict === 'again' || look.input === null || look.input.text === '') {
      since = null;
      return verdict;
    }
    since ??= performance.now();
    if (performance.now() - since < LEFT_OVER_MS) return 'again';
    throw notEmpty(session, look.input.text);
  };
}

export function notEmpty(session: Session, text: string, result?: string): SpoolError {
  const reason = JSON.stringify(cleanText(text.replaceAll('\n', ' '), TOLD_CHARACTERS_MAX));
  return new SpoolError('INPUT_NOT_EMPTY', { session: session.name, reason, ...(result !== undefined && { result }) });
}

const isKnownAgent = ({ agent }: Look): boolean => agent !== null && agent !== 'shell';

const toldCommand = (command: readonly string[]): string =>
  `it runs ${cleanText(command.join(' '), TOLD_CHARACTERS_MAX)}`;
