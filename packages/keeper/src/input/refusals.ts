/**
 * The reasons to refuse a prompt. Keeps IN-7, IN-8, IN-9 and IN-11, with `careful-typing.ts`.
 */
import { SpoolError } from '@spool/protocol';
import { cleanText } from '@spool/vt';
import type { ReadinessCheck } from './careful-typing.ts';
import type { ScreenReport } from '../screens/messages.ts';
import { foregroundOf } from '../screens/insight/foreground.ts';
import type { KeeperSession } from '../sessions/session.ts';

/** The maximum of characters of an input line that an error quotes. */
const TOLD_CHARACTERS_MAX = 200;
const TAKES_COMMANDS =
  'it is a full-screen program that Spool does not know, and may take text as commands (`spool send` types it anyway)';
/** The time within which the line of submitted input becomes empty; text that stays longer is real. */
const LEFT_OVER_MS = 300;

/** Refuses input while a dialog is shown: Enter must not answer it, or a dialog that a shell's running command is about to show. */
export function refuseDialogs(session: KeeperSession): ReadinessCheck {
  return ({ asks, kind, isUnsettled, agent, state }) => {
    if (isUnsettled) return 'again';
    if (asks === null) {
      const command =
        state === 'working' && (agent === null || agent === 'shell') ? foregroundOf(session.file.record.pid) : null;
      if (command === null) return 'type';
      throw new SpoolError('INPUT_BUSY', { session: session.name, reason: toldCommand(command) });
    }
    throw new SpoolError('INPUT_BLOCKED', { session: session.name, reason: asks, kind: kind ?? '' });
  };
}

/**
 * Refuses input to an editor or a pager, which takes text as commands. On the alternate screen, a program without rules gets a
 * prompt only if something other than silence shows that it waits for text: its own report, or an input line on its screen.
 */
export function refuseFullScreen(session: KeeperSession, judge: ReadinessCheck): ReadinessCheck {
  return (look) => {
    const verdict = judge(look);
    if (verdict === 'again' || !look.isAlternate || isKnownAgent(look)) return verdict;
    if (look.state === 'idle' && look.source !== 'output') return verdict;
    throw new SpoolError('STATE_UNKNOWN', { session: session.name, reason: TAKES_COMMANDS });
  };
}

/** Refuses to type after other text: Enter must not submit text that was already in the input line. */
export function refuseLeftOvers(session: KeeperSession): ReadinessCheck {
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

export function notEmpty(session: KeeperSession, text: string, result?: string): SpoolError {
  const reason = JSON.stringify(cleanText(text.replaceAll('\n', ' '), TOLD_CHARACTERS_MAX));
  return new SpoolError('INPUT_NOT_EMPTY', { session: session.name, reason, ...(result !== undefined && { result }) });
}

const isKnownAgent = ({ agent }: ScreenReport): boolean => agent !== null && agent !== 'shell';

const toldCommand = (command: readonly string[]): string =>
  `it runs ${cleanText(command.join(' '), TOLD_CHARACTERS_MAX)}`;
