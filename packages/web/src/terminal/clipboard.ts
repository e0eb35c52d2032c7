/**
 * The clipboard. A program may request to put text on it (OSC 52); the user decides, because the next paste may be executed.
 * Reading it is never allowed. Keeps PAGE-50.
 */
import type { Terminal } from '@xterm/xterm';

const TEXT_CHARACTERS_MAX = 1024 * 1024;

export function onCopyAsked(terminal: Terminal, onAsked: (text: string) => void): void {
  terminal.parser.registerOscHandler(52, (data) => {
    const base64 = data.slice(data.indexOf(';') + 1);
    if (base64 !== '?' && base64.length < TEXT_CHARACTERS_MAX) {
      try {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        onAsked(new TextDecoder().decode(bytes));
      } catch {
        // This is not base64: the user is not asked.
      }
    }
    return true;
  });
}

/** Copies a text. Over plain http, on another address than this machine's, browsers have no clipboard for pages. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
