/** Keys that work everywhere except in the terminal, which gets all keys but ⌘K and those that leave it. Keeps CARD-42. */
import { useEffect } from 'react';
import { isTooSoon } from '../inbox/answer-keys.ts';
import { goToNextWaiting } from '../inbox/next-waiting.ts';
import { go, routeOf } from './route.ts';

export interface Shortcuts {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isPaletteKey(event)) take(event, onPalette);
      else if (event.ctrlKey && event.shiftKey && event.code === 'Period' && isInTerminal(event))
        take(event, leaveTerminal);
      else if (!isInField(event) && !event.metaKey && !event.ctrlKey && !event.altKey) plainKey(event);
    };
    const plainKey = (event: KeyboardEvent): void => {
      const route = routeOf(location.hash);
      // A key that was meant for a question that has just disappeared.
      if (isTooSoon(event)) return;
      if (event.key === '?') take(event, onHelp);
      else if (event.key === '/') take(event, onPalette);
      else if (event.key === 'f') take(event, () => document.querySelector<HTMLElement>('.wall-filter')?.focus());
      else if (event.key === 'w') take(event, goToNextWaiting);
      else if (event.key === 'n') go({ page: 'start', what: 'command' });
      else if (event.key === 'a') go({ page: 'start', what: 'agent' });
      else if (event.key === ',') go({ page: 'settings' });
      else if (event.key === 'g') go({ page: 'home' });
      else if (event.key === 'j' || event.key === 'k') enterCards(event);
      else if (route.page === 'session' && /^[1-9]$/.test(event.key))
        document.querySelectorAll<HTMLElement>('.views a')[Number(event.key) - 1]?.click();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onPalette, onHelp]);
}

/** Returns whether the event opens the palette. In the terminal Ctrl K belongs to the program; ⌘K is free. */
function isPaletteKey(event: KeyboardEvent): boolean {
  if (event.key.toLowerCase() !== 'k') return false;
  return event.metaKey || (event.ctrlKey && !isInTerminal(event));
}

function take(event: KeyboardEvent, act: () => void): void {
  event.preventDefault();
  act();
}

/** Moves the focus to an element from which the Tab key continues. */
function leaveTerminal(): void {
  document.querySelector<HTMLElement>('.views a[aria-current]')?.focus();
}

/** Gives the focus to the cards beside the terminal: Tab would lead into the terminal, which keeps it. */
function enterCards(event: KeyboardEvent): void {
  const log = document.querySelector<HTMLElement>('.conversation');
  if (log !== null && !event.defaultPrevented) take(event, () => log.focus());
}

const isInTerminal = ({ target }: Event): boolean => target instanceof HTMLElement && target.closest('.xterm') !== null;

/**
 * Returns whether the event belongs to a field. A dialog that has just closed keeps the focus for a moment, and ignores keys then.
 */
const isInField = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, dialog, .xterm') !== null &&
  target.closest('dialog:not([open])') === null;
