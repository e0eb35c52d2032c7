/** Shows lines of the renderer as text of the page. A span has a role; the style sheet defines its look. */
import { type Line, type SpanStyle, lineWidth, plainText, type Span } from '@spool/render';
import { memo } from 'react';

interface LinesProps {
  readonly lines: readonly Line[];
  /** The width at which they were wrapped, in cells. */
  readonly width: number;
}

export const StyledLines = memo(function StyledLines({ lines, width }: LinesProps) {
  return lines.map((line, at) => (
    <span className="line" key={at}>
      {plainText(line) === ''
        ? '\u00a0'
        : line.map((part, place) => (
            <Styled key={place} part={part} isCut={place === line.length - 1 && lineWidth(line) >= width} />
          ))}
    </span>
  ));
});

const WEB_ADDRESS = /^https?:\/\/\S+$/;

/** `isCut`: the text may continue in the next line, and half an address would lead elsewhere. */
function Styled({ part: { text, look }, isCut }: { readonly part: Span; readonly isCut: boolean }) {
  const name = classOf(look);
  if (look.tone === 'link' && !isCut && WEB_ADDRESS.test(text))
    return (
      <a className={name} href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  return name === '' ? text : <span className={name}>{text}</span>;
}

const classOf = (look: SpanStyle): string =>
  [look.tone, ...FLAGS.filter((flag) => look[flag] === true)]
    .filter((name) => name !== undefined)
    .map((name) => `look-${name}`)
    .join(' ');

const FLAGS = ['bold', 'dim', 'italic', 'strike'] as const;
