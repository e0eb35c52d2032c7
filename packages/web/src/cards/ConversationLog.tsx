/**
 * The log of a conversation: it opens at its end and follows it, reads older parts when they come into view without moving the
 * cards there, and leads back to the end. Keeps CARD-5 and CARD-6.
 */
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AgentConversation } from '../agent/conversation.ts';
import { useMoment } from '../time/moment.ts';
import { CardList } from './CardList.tsx';
import { cardOf, focusCard, isPlainPress, momentOf, useMomentCard } from './card-moments.ts';
import { MomentChip } from './MomentChip.tsx';

/** The distance from the end within which the view follows new cards. */
const NEAR_END_PX = 80;
/** The distance from the beginning below which older cards are read. */
const NEAR_START_PX = 600;

interface LogProps {
  readonly conversation: AgentConversation;
  readonly name: string;
  readonly isFull: boolean;
  /** The card that the address leads to, by the number of its event. */
  readonly target: number | null;
  readonly onRetry: ((prompt: string) => void) | null;
  /** Whether the output of the session is the agent's wire, so that a card has an offset there. */
  readonly isWire: boolean;
}

export function ConversationLog({ conversation, name, isFull, target, onRetry, isWire }: LogProps) {
  const { parts, isLoaded, hasOlder, isReadingOlder } = conversation.state;
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const [seen, setSeen] = useState<number | null>(null);
  const live = parts.at(-1)!.transcript;
  const count = live.entries.length + live.omitted;
  const { moment, isFollowed, setMoment, showMoment } = useMoment();
  const [hovered, setHovered] = useState<HTMLElement | null>(null);
  useEndFollowing(box, inner, isAtEnd);
  useKeptPlace(box, parts[0]!.from, isAtEnd);
  useTarget(box, conversation, target, isAtEnd);
  useMomentCard({ box, conversation, moment, isWire, isAtEnd });
  const hoveredAt = hovered === null ? null : (momentOf(parts, hovered, isWire)?.at ?? null);
  const show = (card: HTMLElement, act: typeof showMoment): void => {
    const chosen = momentOf(parts, card, isWire);
    if (chosen !== null) act(chosen);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const card = cardOf(event.target);
    if (event.key === 'Enter' && card !== null && event.target === card) show(card, showMoment);
    else if ((event.key === 'j' || event.key === 'k') && (event.target === box.current || event.target === card))
      focusCard(box.current!, card, event.key === 'j' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // If the first part is shorter than the view, the next one is read at once.
  useEffect(() => {
    const log = box.current!;
    if (isLoaded && hasOlder && log.scrollTop < NEAR_START_PX) void conversation.readOlder().catch(() => {});
  }, [isLoaded, hasOlder, parts.length]);
  return (
    <div
      className="log-frame"
      onPointerOver={({ target: over }) => {
        if (!(over instanceof Element && over.matches('.moment-chip'))) setHovered(cardOf(over));
      }}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setHovered(null)}
    >
      <div
        className="conversation"
        ref={box}
        tabIndex={0}
        role="log"
        aria-label={`What ${name} said and did`}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const card = cardOf(event.target);
          if (isFollowed && card !== null && isPlainPress(event.target)) show(card, setMoment);
        }}
        onFocus={({ target: focused }) => setHovered((now) => cardOf(focused) ?? now)}
        onScroll={({ currentTarget: log }) => {
          // Cards may have grown since the view was moved to the end: only a move upwards leaves it.
          const isNear = log.scrollTop + log.clientHeight >= log.scrollHeight - NEAR_END_PX;
          isAtEnd.current = isNear || (isAtEnd.current && log.scrollTop >= lastTop.current);
          lastTop.current = log.scrollTop;
          setSeen(isAtEnd.current ? null : (seen ?? count));
          // A failed read is repeated at the next scroll.
          if (log.scrollTop < NEAR_START_PX) void conversation.readOlder().catch(() => {});
        }}
      >
        <div className="column" ref={inner}>
          {parts.map(({ from, transcript }, at) => (
            <CardList
              key={from}
              transcript={transcript}
              revision={transcript.revision}
              isPast={at < parts.length - 1}
              isFull={isFull}
              onRetry={onRetry}
            />
          ))}
          {count === 0 && !hasOlder && <p className="quiet log-note">{isLoaded ? 'No messages yet' : 'Loading…'}</p>}
        </div>
      </div>
      {hovered !== null && hoveredAt !== null && (
        <MomentChip card={hovered} at={hoveredAt} isWire={isWire} onPress={() => show(hovered, showMoment)} />
      )}
      {isReadingOlder && <p className="log-older">Loading…</p>}
      {seen !== null && (
        <button
          type="button"
          className="jump-pill"
          onClick={() => {
            isAtEnd.current = true;
            setSeen(null);
            box.current!.scrollTop = box.current!.scrollHeight;
          }}
        >
          {count > seen ? `${count - seen} new ↓` : 'To the end ↓'}
        </button>
      )}
    </div>
  );
}

/**
 * Stays at the end while cards grow there. The position is set after the browser's own layout: reading it in each rendering would
 * cause a second layout.
 */
function useEndFollowing(
  box: React.RefObject<HTMLDivElement | null>,
  inner: React.RefObject<HTMLDivElement | null>,
  isAtEnd: React.RefObject<boolean>,
): void {
  useEffect(() => {
    const follow = (): void => {
      if (isAtEnd.current) box.current!.scrollTop = box.current!.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner.current!);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [box, inner, isAtEnd]);
}

/** Keeps the cards in view where they are when an older part is added above them. */
function useKeptPlace(
  box: React.RefObject<HTMLDivElement | null>,
  first: number,
  isAtEnd: React.RefObject<boolean>,
): void {
  const shown = useRef(first);
  // The position is read before the new part is in the document.
  const anchor = shown.current === first || box.current === null ? null : anchorOf(box.current);
  useLayoutEffect(() => {
    shown.current = first;
    if (anchor !== null && !isAtEnd.current)
      box.current!.scrollTop += anchor.card.getBoundingClientRect().top - anchor.top;
  }, [first]);
}

/** Returns the first card in view, and its position. */
function anchorOf(box: HTMLElement): { readonly card: Element; readonly top: number } | null {
  const edge = box.getBoundingClientRect().top;
  const cards = [...box.querySelectorAll('.cards > [data-event-seq]')];
  const card = cards.find((each) => each.getBoundingClientRect().bottom > edge);
  return card === undefined ? null : { card, top: card.getBoundingClientRect().top };
}

/** Scrolls to the card of an address, and reads older parts until it is there. */
function useTarget(
  box: React.RefObject<HTMLDivElement | null>,
  conversation: AgentConversation,
  target: number | null,
  isAtEnd: React.RefObject<boolean>,
): void {
  const { parts, isLoaded, hasOlder, isReadingOlder } = conversation.state;
  const reached = useRef<number | null>(null);
  useEffect(() => {
    if (target === null || !isLoaded || reached.current === target || isReadingOlder) return;
    const cards = [...box.current!.querySelectorAll<HTMLElement>('[data-event-seq]')];
    const isBefore = (card: HTMLElement): boolean => Number(card.dataset['eventSeq']) <= target;
    const card = cards.findLast(isBefore);
    if (card === undefined && hasOlder) return void conversation.readOlder().catch(() => {});
    reached.current = target;
    for (const each of cards) each.toggleAttribute('data-target', each === card);
    if (card === undefined) return;
    isAtEnd.current = false;
    card.scrollIntoView({ block: 'center' });
  }, [target, isLoaded, parts.length, isReadingOlder]);
}
