/**
 * Converts lines to a self-contained page: the tone of a span becomes a class, and the style sheet has colours for light and
 * dark.
 */
import type { Line, SpanStyle } from './lines.ts';

const FLAGS = ['bold', 'dim', 'italic', 'strike', 'inverse'] as const;

/** The style sheet; each colour is readable (4.5:1) on its background. */
export const HTML_STYLE = `:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --blue: #0550ae; --green: #116329; --red: #a40e26;
  --yellow: #7d4e00; --cyan: #0b6470; --magenta: #8250df; --dim: #57606a }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --blue: #79c0ff; --green: #7ee787; --red: #ff9b93;
  --yellow: #e3b341; --cyan: #76e3ea; --magenta: #d2a8ff; --dim: #9198a1 } }
body { background: var(--back); color: var(--text); margin: 1em }
pre { font: 14px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-width: 110ch; margin: 0 auto }
.prompt { color: var(--cyan) } .heading { color: var(--magenta) } .code { color: var(--yellow) } .link { color: var(--blue) }
.added, .ok { color: var(--green) } .removed, .error { color: var(--red) } .working, .ask, .warning { color: var(--yellow) }
.bold { font-weight: bold } .dim { color: var(--dim) } .italic { font-style: italic } .strike { text-decoration: line-through }
.inverse { background: var(--text); color: var(--back) }
`;

export function htmlLine(line: Line): string {
  return line.map(({ text, look }) => marked(escaped(text), classesOf(look))).join('');
}

const classesOf = (look: SpanStyle): string =>
  [look.tone ?? '', ...FLAGS.filter((flag) => look[flag] === true)].filter((name) => name !== '').join(' ');

const marked = (html: string, classes: string): string =>
  classes === '' || html === '' ? html : `<span class="${classes}">${html}</span>`;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
