/**
 * A condition as a shape and a colour, either of which is enough; the word is for screen readers, or shown beside it. Keeps
 * PAGE-24.
 */
import type { ReactNode } from 'react';
import { type SessionCondition, CONDITION_WORDS } from './condition.ts';

const SHAPES: Readonly<Record<SessionCondition, ReactNode>> = {
  waits: <path d="M8 1 15 8 8 15 1 8Z" fill="currentColor" stroke="none" />,
  working: (
    <>
      <circle cx="8" cy="8" r="5.75" opacity="0.3" />
      <path d="M8 2.25A5.75 5.75 0 0 1 13.75 8" />
    </>
  ),
  erred: (
    <>
      <path d="M8 2 14.500 13.500H1.500Z" />
      <path d="M8 6.500v3M8 11.500v.010" />
    </>
  ),
  idle: <circle cx="8" cy="8" r="4.75" />,
  starting: <circle cx="8" cy="8" r="4.75" strokeDasharray="2.2 2.8" />,
  away: <path d="M3 12.500a3 3 0 0 1 .500-5.960 4.500 4.500 0 0 1 8.500.460 2.800 2.800 0 0 1 .500 5.500M2 14 14 2" />,
  done: <path d="m3 8.5 3.5 3.5L13.500 4.500" />,
  failed: <path d="m3.500 3.500 9 9m0-9-9 9" />,
  stopped: <rect x="3.5" y="3.5" width="9" height="9" rx="1.500" />,
  lost: <path d="M4 8h1.500M7.250 8h1.500M10.500 8H12" />,
};

export function StateMark({
  condition,
  word = false,
}: {
  readonly condition: SessionCondition;
  readonly word?: boolean;
}) {
  return (
    <span className="state-mark" data-condition={condition}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {SHAPES[condition]}
      </svg>
      <span className={word ? 'state-word' : 'sr-only'}>{CONDITION_WORDS[condition]}</span>
    </span>
  );
}
