/**
 * The cards and the shared moment: the card of a moment is marked and in view, later ones are faded, and a card leads to its
 * moment. Keeps CARD-12.
 */
import { useLayoutEffect, useRef } from 'react';
import type { AgentConversation, ConversationPart } from '../agent/conversation.ts';
import type { Moment } from '../time/moment.ts';
import { eventBy } from '../time/moment-place.ts';

/** The elements of a card that react to a press themselves. */
const OWN_PRESSES = 'a, button, summary, input, label, textarea, img';

/** Returns the card in the column that contains an element; null if there is none. */
export function cardOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('.cards > [data-event-seq]') : null;
}

/** Returns whether a press was meant for the card itself, rather than for a part of it or a selection. */
export function isPlainPress(target: EventTarget): boolean {
  return target instanceof Element && target.closest(OWN_PRESSES) === null && getSelection()?.isCollapsed !== false;
}

const seqOf = (card: HTMLElement): number => Number(card.dataset['eventSeq']);

/** Returns the moment at which a card began. */
export function momentOf(parts: readonly ConversationPart[], card: HTMLElement, isWire: boolean): Moment | null {
  const entries = parts.flatMap(({ transcript }) => transcript.entries);
  const seq = seqOf(card);
  const at = entries.findIndex(({ place }) => place.seq === seq);
  if (at === -1) return null;
  // A prompt is not on the wire that the agent writes, but the answer to it is.
  const line = isWire ? entries.slice(at).find(({ place }) => place.offset !== undefined) : undefined;
  return { at: entries[at]!.place.at, offset: line?.place.offset ?? null, event: seq };
}

/** Gives the focus to the next card, or the one before; without a card, to the last or first one in view. */
export function focusCard(box: HTMLElement, from: HTMLElement | null, step: 1 | -1): void {
  const cards = cardsIn(box);
  const { top, bottom } = box.getBoundingClientRect();
  const isInView = (card: HTMLElement): boolean => {
    const rect = card.getBoundingClientRect();
    return rect.bottom > top && rect.top < bottom;
  };
  const next =
    from !== null
      ? cards[cards.indexOf(from) + step]
      : step === 1
        ? cards.find(isInView)
        : (cards.findLast(isInView) ?? cards.at(-1));
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

const cardsIn = (box: HTMLElement): HTMLElement[] => [
  ...box.querySelectorAll<HTMLElement>('.cards > [data-event-seq]'),
];

interface MomentCardOptions {
  readonly box: React.RefObject<HTMLDivElement | null>;
  readonly conversation: AgentConversation;
  readonly moment: Moment | null;
  readonly isWire: boolean;
  readonly isAtEnd: React.RefObject<boolean>;
}

/** Marks the card of the moment, and reads older parts until it is there. */
export function useMomentCard({ box, conversation, moment, isWire, isAtEnd }: MomentCardOptions): void {
  const { parts, isLoaded, hasOlder, isReadingOlder } = conversation.state;
  const shown = useRef<HTMLElement | null>(null);
  const wasPast = useRef(false);
  const { revision } = parts.at(-1)!.transcript;
  useLayoutEffect(() => {
    if (!isLoaded || isReadingOlder || (moment === null && !wasPast.current)) return;
    const seq = moment === null ? null : eventBy(allEntries(parts), moment, isWire);
    if (moment !== null && seq === null && hasOlder) return void conversation.readOlder().catch(() => {});
    const cards = cardsIn(box.current!);
    const card = moment === null ? undefined : cards.findLast((each) => seqOf(each) <= (seq ?? -1));
    let isLater = moment !== null && card === undefined;
    for (const each of cards) {
      each.toggleAttribute('data-moment', each === card);
      each.toggleAttribute('data-later', isLater);
      if (each === card) isLater = true;
    }
    wasPast.current = moment !== null;
    if (moment === null) {
      isAtEnd.current = true;
      box.current!.scrollTop = box.current!.scrollHeight;
    } else if (card !== undefined && card !== shown.current) {
      isAtEnd.current = false;
      card.scrollIntoView({ block: moment.event === null ? 'center' : 'nearest' });
    }
    shown.current = card ?? null;
  }, [moment, isLoaded, isReadingOlder, parts.length, revision]);
}

function* allEntries(parts: readonly ConversationPart[]) {
  for (const { transcript } of parts) yield* transcript.entries;
}
