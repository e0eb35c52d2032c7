/** The output of a tool, with the program's colours: its end, or all of it on demand. */
import { type OutputSpan, outputLines } from '@spool/render';
import { memo, useMemo, useState } from 'react';

const TAIL_LINES = 16;
const LINES_MAX = 5_000;

interface OutputProps {
  readonly text: string;
  /** Whether its beginning is shown at first, instead of its end. */
  readonly isFromStart?: boolean;
}

export const OutputView = memo(function OutputView({ text, isFromStart = false }: OutputProps) {
  const [isFull, setFull] = useState(false);
  const lines = useMemo(() => outputLines(text), [text]);
  if (lines.length === 0) return null;
  const most = isFull ? LINES_MAX : TAIL_LINES;
  const shown = isFromStart ? lines.slice(0, most) : lines.slice(-most);
  const hidden = lines.length - shown.length;
  const rest = hidden > 0 && (
    <button type="button" className="output-rest" disabled={isFull} onClick={() => setFull(true)}>
      {isFull ? `${hidden} more lines are in the log` : `Show ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`}
    </button>
  );
  return (
    <div className="tool-output">
      {!isFromStart && rest}
      <pre tabIndex={0} aria-label="Output">
        {shown.map((line, at) => (
          <OutputLine key={isFromStart ? at : hidden + at} line={line} />
        ))}
      </pre>
      {isFromStart && rest}
    </div>
  );
});

const OutputLine = memo(function OutputLine({ line }: { readonly line: readonly OutputSpan[] }) {
  return (
    <span className="output-line">
      {line.map((part, at) => {
        const name = classOf(part);
        return name === '' ? (
          part.text
        ) : (
          <span key={at} className={name}>
            {part.text}
          </span>
        );
      })}
      {'\n'}
    </span>
  );
});

const classOf = ({ colour, isBold, isDim, isItalic, isUnderlined }: OutputSpan): string =>
  [
    colour === undefined ? '' : `ansi-${colour}`,
    isBold === true ? 'look-bold' : '',
    isDim === true ? 'look-dim' : '',
    isItalic === true ? 'look-italic' : '',
    isUnderlined === true ? 'look-underline' : '',
  ]
    .filter((name) => name !== '')
    .join(' ');
