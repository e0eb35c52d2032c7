/** The tokens of code, from the highlighter's worker; null until they are there, or if the language is unknown. */
import { useEffect, useState } from 'react';
import { type CodeToken, highlight } from '../highlight/highlight.ts';

/** The time after the last change at which code is highlighted; code that still arrives is not. */
const QUIET_MS = 300;

export function useTokens(code: string, language: string): readonly CodeToken[] | null {
  const [found, setFound] = useState<{ readonly code: string; readonly tokens: readonly CodeToken[] } | null>(null);
  useEffect(() => {
    if (language === '' || code === '') return undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      void highlight(code, language).then((tokens) => {
        if (!isOver && tokens !== null) setFound({ code, tokens });
      });
    }, QUIET_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  return found?.code === code ? found.tokens : null;
}
