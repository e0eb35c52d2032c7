/**
 * Asks the highlighter's worker for the tokens of code. The worker is started with the first request; a page without code never
 * loads it. The tokens are names and texts, never HTML.
 */
import { scriptUrl } from '../link/script-url.ts';

export interface CodeToken {
  /** The kind of the token, from a list; empty for plain text. */
  readonly scope: string;
  readonly text: string;
}

/** The length from which on code is not highlighted. */
const CODE_CHARACTERS_MAX = 100_000;

interface HighlightAnswer {
  readonly id: number;
  readonly tokens: readonly CodeToken[] | null;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, (tokens: readonly CodeToken[] | null) => void>();

/** Returns null if the language is unknown. */
export function highlight(code: string, language: string): Promise<readonly CodeToken[] | null> {
  if (code.length > CODE_CHARACTERS_MAX) return Promise.resolve(null);
  worker ??= started();
  const id = ++lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker!.postMessage({ id, code, language });
  });
}

function started(): Worker {
  const made = new Worker(scriptUrl(HIGHLIGHT_WORKER) as URL, { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.tokens);
    waiting.delete(data.id);
  });
  return made;
}

/** The name of the worker's file; the bundler sets it. */
declare const HIGHLIGHT_WORKER: string;
