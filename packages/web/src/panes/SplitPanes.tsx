/**
 * The terminal and the cards of one run: side by side on a wide screen, with a handle between them, and one at a time on a narrow
 * one. Keeps CARD-10.
 */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { keepPanes, limitShare, type PaneChoice, readPanes } from './pane-memory.ts';

/** The width below which the panes are shown one at a time. */
const WIDE_PX = 900;
const STEP_PERCENT = 5;

const LABELS: readonly (readonly [PaneChoice, string])[] = [
  ['terminal', 'Terminal'],
  ['both', 'Both'],
  ['cards', 'Cards'],
];

interface SplitProps {
  readonly id: string;
  /** The choice that an address asks for; it counts until the user chooses. */
  readonly wanted: PaneChoice | null;
  /** `hasCardsBeside`: the cards are shown, too. */
  readonly terminal: (hasCardsBeside: boolean) => ReactNode;
  /** `isAlone`: the terminal is not shown beside it. */
  readonly cards: (isAlone: boolean) => ReactNode;
}

export function SplitPanes({ id, wanted, terminal, cards }: SplitProps) {
  const [panes, setPanes] = useState(() => ({ ...readPanes(id), ...(wanted !== null && { choice: wanted }) }));
  const frame = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(frame);
  const shown = isWide || panes.choice !== 'both' ? panes.choice : 'terminal';
  const arrange = (change: Partial<typeof panes>): void => {
    const next = { ...panes, ...change };
    setPanes(next);
    keepPanes(id, next);
  };
  const drag = (clientX: number): void => {
    const { left, width } = frame.current!.getBoundingClientRect();
    arrange({ share: limitShare(((clientX - left) * 100) / width) });
  };
  return (
    <div className="panes">
      <div className="segments pane-switch" role="group" aria-label="Panes">
        {LABELS.filter(([choice]) => isWide || choice !== 'both').map(([choice, label]) => (
          <button
            key={choice}
            type="button"
            className="button"
            aria-pressed={choice === shown}
            onClick={() => arrange({ choice })}
          >
            {label}
          </button>
        ))}
      </div>
      <div className="pane-frame" ref={frame}>
        {shown !== 'cards' && (
          <div className="pane" style={shown === 'both' ? { flex: `0 0 ${panes.share}%` } : undefined}>
            {terminal(shown === 'both')}
          </div>
        )}
        {shown === 'both' && (
          <div
            className="pane-handle"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the terminal"
            aria-valuenow={panes.share}
            aria-valuemin={limitShare(0)}
            aria-valuemax={limitShare(100)}
            tabIndex={0}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && drag(event.clientX)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
              if (step === 0) return;
              event.preventDefault();
              arrange({ share: limitShare(panes.share + step * STEP_PERCENT) });
            }}
          />
        )}
        {shown !== 'terminal' && <div className="pane">{cards(shown === 'cards')}</div>}
      </div>
    </div>
  );
}

function useIsWide(frame: React.RefObject<HTMLDivElement | null>): boolean {
  const [isWide, setWide] = useState(() => window.innerWidth >= WIDE_PX);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWide(window.innerWidth >= WIDE_PX));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [frame]);
  return isWide;
}
