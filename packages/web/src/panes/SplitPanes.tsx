/**
 * The panes of a session: one, or two side by side on a wide screen, with a handle between them. Keeps CARD-10.
 */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SessionViewName } from '../shell/route.ts';
import { keepPanes, limitShare, type PaneArrangement, readPanes } from './pane-memory.ts';

/** The width from which on two panes fit. */
const WIDE_PX = 900;
const STEP_PERCENT = 5;

export interface Panes extends PaneArrangement {
  /** Whether two panes fit. */
  readonly isWide: boolean;
  readonly arrange: (change: Partial<PaneArrangement>) => void;
}

/** Returns the arrangement; `first` is the pane beside the main one until the user chooses another. */
export function usePanes(id: string, first: SessionViewName | null): Panes {
  const isWide = useIsWide();
  const [kept, setKept] = useState<{ readonly id: string; readonly panes: PaneArrangement } | null>(null);
  const panes = kept?.id === id ? kept.panes : readPanes(id, first);
  const arrange = (change: Partial<PaneArrangement>): void => {
    const next = { beside: panes.beside, share: panes.share, ...change };
    setKept({ id, panes: next });
    keepPanes(id, next);
  };
  return { ...panes, isWide, arrange };
}

interface SplitProps {
  readonly share: number;
  readonly onShare: (share: number) => void;
  readonly main: ReactNode;
  /** The pane beside it; null if there is none. */
  readonly beside: ReactNode | null;
}

export function SplitPanes({ share, onShare, main, beside }: SplitProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drag = (clientX: number): void => {
    const { left, width } = frame.current!.getBoundingClientRect();
    onShare(limitShare(((clientX - left) * 100) / width));
  };
  return (
    <div className="pane-frame" ref={frame}>
      <div className="pane" style={beside === null ? undefined : { flex: `0 0 ${share}%` }}>
        {main}
      </div>
      {beside !== null && (
        <>
          <div
            className="pane-handle"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the first pane"
            aria-valuenow={share}
            aria-valuemin={limitShare(0)}
            aria-valuemax={limitShare(100)}
            tabIndex={0}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && drag(event.clientX)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
              if (step === 0) return;
              event.preventDefault();
              onShare(limitShare(share + step * STEP_PERCENT));
            }}
          />
          <div className="pane">{beside}</div>
        </>
      )}
    </div>
  );
}

function useIsWide(): boolean {
  const [isWide, setWide] = useState(() => window.innerWidth >= WIDE_PX);
  useEffect(() => {
    const look = (): void => setWide(window.innerWidth >= WIDE_PX);
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  return isWide;
}
