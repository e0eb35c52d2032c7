/**
 * A request of an agent in a notification: its whole text, or its beginning and the exact number of lines and characters that
 * follow, with the answers that a person can give without seeing more. Keeps REQ-40, NOTE-5, NOTE-6 and NOTE-7.
 */
import type { RequestEvent } from '@spool/client';
import { visibleTitle } from '@spool/protocol';
import { requestText } from '@spool/render';
import type { Action } from './asks.ts';

/** The limits of a channel, and of the text that a phone shows without an unmarked cut. */
export interface ChannelLimits {
  readonly bytesMax: number;
  /** The maximum length of a text that can be allowed from the notification. */
  readonly allowedCharactersMax: number;
  readonly allowedLinesMax: number;
}

export interface RequestNotice {
  readonly text: string;
  /** Whether the text contains the whole request. */
  readonly isWhole: boolean;
  readonly actions: readonly Action[];
}

/** The maximum length of an id; messages of some channels have no room for a longer one. */
const OPTION_ID_CHARACTERS_MAX = 100;
const LABEL_CHARACTERS_MAX = 60;

export function requestNotice(event: RequestEvent, limits: ChannelLimits): RequestNotice {
  const whole = requestText(event, Infinity);
  const text = fitText(whole, limits.bytesMax);
  const isWhole = text === whole && !('isCut' in event && event.isCut === true);
  const isSeen =
    isWhole && whole.length <= limits.allowedCharactersMax && whole.split('\n').length <= limits.allowedLinesMax;
  return { text, isWhole, actions: requestActions(event).filter(({ isAllowing }) => isSeen || isAllowing !== true) };
}

/** Returns the text, or its beginning and the amount that follows. */
function fitText(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const lines = text.split('\n');
  let kept = '';
  for (const [at, line] of lines.entries()) {
    const next = `${kept}${line}\n`;
    if (Buffer.byteLength(next) + Buffer.byteLength(restWords(text.length, lines.length)) > bytesMax)
      return kept + restWords(text.length - kept.length, lines.length - at);
    kept = next;
  }
  return kept;
}

function restWords(characters: number, lines: number): string {
  return `… not shown: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters. Open the session to see them.`;
}

/**
 * Returns the answers that can be given remotely: those for this one request. Options that change something beyond the request,
 * and options whose meaning is unknown, can be chosen only where the whole request is shown.
 */
export function requestActions(event: RequestEvent): readonly Action[] {
  if (event.kind === 'question.asked') return [];
  const actions = event.options.flatMap(({ id, label, kind, effect }): Action[] => {
    if (id.length > OPTION_ID_CHARACTERS_MAX || effect !== undefined) return [];
    if (kind !== 'allow_once' && kind !== 'reject_once') return [];
    const isAllowing = kind === 'allow_once';
    return [{ id: `option:${id}`, label: visibleTitle(label, LABEL_CHARACTERS_MAX), isAllowing, option: id }];
  });
  const allowing = actions.filter(({ isAllowing }) => isAllowing === true && event.isCut !== true);
  const denying = actions.filter(({ isAllowing }) => isAllowing !== true);
  return [
    ...(event.options.length === 0 && event.isCut !== true
      ? [{ id: 'allow', label: 'Allow', isAllowing: true }]
      : allowing),
    ...(denying.length === 0 ? [{ id: 'deny', label: 'Deny', isAllowing: false }] : denying),
  ];
}
