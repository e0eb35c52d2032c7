/**
 * The tokens of code, from the highlighter's worker; null until they are there, or if the language is unknown. Only code that has come into
 * view is highlighted: a token is an element, and a long conversation has many thousands of them. Keeps CARD-43.
 */
import { useEffect, useState } from 'react';
import { type CodeToken, highlight } from '../highlight/highlight.ts';

/** The time without a change after which code is highlighted: code that still arrives is not. */
const QUIET_MS = 300;

export function useTokens(
  code: string,
  language: string,
  box: React.RefObject<HTMLElement | null>,
): readonly CodeToken[] | null {
  const [found, setFound] = useState<{ readonly code: string; readonly tokens: readonly CodeToken[] } | null>(null);
  useEffect(() => {
    if (language === '' || code === '') return undefined;
    let isOver = false;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void highlight(code, language).then((tokens) => {
        if (!isOver && tokens !== null) setFound({ code, tokens });
      });
    });
    const timer = setTimeout(() => observer.observe(box.current!), QUIET_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [code, language, box]);
  return found?.code === code ? found.tokens : null;
}
