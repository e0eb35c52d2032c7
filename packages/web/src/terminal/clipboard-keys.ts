/**
 * The keys for the clipboard in a terminal. Ctrl C copies only while text is selected, because it interrupts programs; Ctrl V
 * pastes, also pictures, and Ctrl Alt V sends what Ctrl V sends elsewhere. Keeps PAGE-73.
 */
import type { Terminal } from '@xterm/xterm';
import { copy } from './clipboard.ts';

type PressedKey = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** Returns the meaning of a key; null for a key that belongs to the program. */
export function clipboardKey(key: PressedKey, hasSelection: boolean): 'copy' | 'paste' | 'literal' | null {
  if (!key.ctrlKey || key.metaKey) return null;
  if (key.code === 'KeyC' && !key.altKey && (key.shiftKey || hasSelection)) return 'copy';
  if (key.code !== 'KeyV') return null;
  if (!key.altKey) return 'paste';
  return key.shiftKey ? null : 'literal';
}

export interface ClipboardListener {
  /** Called with the name of a key for the program. */
  onLiteral(key: string): void;
  onTrouble(error: unknown): void;
}

export function useClipboardKeys(terminal: Terminal, listener: ClipboardListener): void {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    switch (clipboardKey(event, terminal.hasSelection())) {
      case 'copy':
        event.preventDefault(); // Ctrl Shift C opens the tools of the browser
        if (terminal.hasSelection()) copy(terminal.getSelection()).catch(listener.onTrouble);
        terminal.clearSelection();
        return false;
      case 'paste':
        return false; // the browser pastes, and the pane takes text and files
      case 'literal':
        event.preventDefault();
        listener.onLiteral('C-v');
        return false;
      default:
        return true;
    }
  });
}
