/** Closes a menu made of `<details>` as menus do: by Escape, by a click elsewhere, and when the focus leaves it. */
import { type RefObject, useEffect } from 'react';

export function useClosing(menu: RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && !element.contains(target)) element.open = false;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !element.open) return;
      event.stopPropagation();
      element.open = false;
      element.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    element.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
      element.removeEventListener('keydown', onKey);
    };
  }, [menu]);
}
