/** The reasons to refuse a prompt. Keeps IN-7 and IN-8, with `careful-typing.ts`. */
import { SpoolError } from '@spool/protocol';
import { cleanText } from '@spool/vt';
import type { Judge } from './careful-typing.ts';
import { foregroundOf } from '../screens/insight/foreground.ts';
import type { Session } from '../session/session.ts';

/** An error quotes at most this much of the text in an input line. */
const TOLD_CHARACTERS_MAX = 200;
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

const toldCommand = (command: readonly string[]): string =>
  `it runs ${cleanText(command.join(' '), TOLD_CHARACTERS_MAX)}`;
