/** Keys that work everywhere but in the terminal, which gets all keys but ⌘K. */
import { useEffect } from 'react';
import { go } from './route.ts';

export function useShortcuts({ onPalette }: { readonly onPalette: () => void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isInField = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, .xterm');
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k' && !isInTerminal(event)) {
        event.preventDefault();
        onPalette();
      } else if (event.metaKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
      } else if (!isInField && !event.metaKey && !event.ctrlKey && !event.altKey) {
        if (event.key === '/') {
          event.preventDefault();
          onPalette();
        } else if (event.key === 'n') go({ page: 'start' });
        else if (event.key === 'g') go({ page: 'home' });
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onPalette]);
}

const isInTerminal = ({ target }: Event): boolean => target instanceof HTMLElement && target.closest('.xterm') !== null;
