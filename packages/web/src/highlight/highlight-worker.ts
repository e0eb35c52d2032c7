/** The highlighter, in a worker: code in, tokens out. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { CodeToken } from './highlight.ts';
import { tokensOf, type TokenNode } from './tokens.ts';

const LANGUAGES = { bash, c, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(['tsx', 'mts', 'cts'], { languageName: 'typescript' });

interface HighlightQuestion {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

self.addEventListener('message', ({ data: { id, code, language } }: MessageEvent<HighlightQuestion>) => {
  let tokens: readonly CodeToken[] | null = null;
  if (hljs.getLanguage(language) !== undefined) {
    // The tree of the emitter is used, because `value` is HTML.
    const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
    tokens = tokensOf((_emitter as unknown as { readonly rootNode: TokenNode }).rootNode);
  }
  self.postMessage({ id, tokens });
});
