/** The time of the card below the pointer or the focus; a press shows its moment in the terminal, or on the wire. */
import { useLayoutEffect, useRef } from 'react';

interface ChipProps {
  readonly card: HTMLElement;
  readonly at: number;
  readonly isWire: boolean;
  readonly onPress: () => void;
}

export function MomentChip({ card, at, isWire, onPress }: ChipProps) {
  const chip = useRef<HTMLButtonElement>(null);
  // This element does not render the card: the place is that of the card in the frame.
  useLayoutEffect(() => {
    const place = (): void => {
      const frame = chip.current!.offsetParent!.getBoundingClientRect();
      const { top, right } = card.getBoundingClientRect();
      chip.current!.style.top = `${Math.max(0, top - frame.top - chip.current!.offsetHeight / 2)}px`;
      chip.current!.style.right = `${Math.max(0, frame.right - right)}px`;
    };
    place();
    const log = card.closest('.conversation')!;
    log.addEventListener('scroll', place, { passive: true });
    return () => log.removeEventListener('scroll', place);
  }, [card]);
  const time = new Date(at).toLocaleTimeString();
  return (
    <button
      ref={chip}
      type="button"
      className="moment-chip"
      tabIndex={-1}
      aria-label={`Show ${time} ${isWire ? 'on the wire' : 'in the terminal'}`}
      onClick={onPress}
    >
      {time}
    </button>
  );
}
