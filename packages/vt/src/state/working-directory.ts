/** Reads a directory as shells report it: `file://host/path` (OSC 7), or a bare path (OSC 9;9, 633, 1337). */
import { cleanText } from '../viewer/clean-text.ts';
import { Utf8Decoder } from '../scan/utf8.ts';

export interface WorkingDirectory {
  readonly path: string;
  /** The host as the shell wrote it, or ''. The caller knows whether that is this machine. */
  readonly host: string;
}

/** PATH_MAX of Linux, as a limit. */
export const PATH_CHARACTERS_MAX = 4096;

export function workingDirectoryOf(text: string): WorkingDirectory | undefined {
  const url = /^(?:file|kitty-shell-cwd):\/\/([^/]*)(\/.*)$/s.exec(text);
  if (url === null) return text.startsWith('/') ? { path: cleanText(text, PATH_CHARACTERS_MAX), host: '' } : undefined;
  const path = text.startsWith('kitty') ? url[2]! : percentDecoded(url[2]!);
  return { path: cleanText(path, PATH_CHARACTERS_MAX), host: cleanText(url[1]!, HOST_CHARACTERS_MAX) };
}

/** Decodes `%41` to `A`, as UTF-8; other text does not change. */
export function percentDecoded(text: string): string {
  const decoder = new Utf8Decoder();
  const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = Uint8Array.from(escapes.slice(1).split('%'), (pair) => Number.parseInt(pair, 16));
    return decoder.decode(bytes) + decoder.flush();
  });
  return decoded;
}

const HOST_CHARACTERS_MAX = 255;
