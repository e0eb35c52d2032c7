/** Code in a message, unchanged, with a button that copies it. Long code is rendered in pieces, so that new lines cost little. */
import { visible } from '@spool/render';
import { memo, useRef } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { useTokens } from './use-tokens.ts';

const PIECE_LINES = 100;

interface CodeProps {
  readonly language: string;
  readonly lines: readonly string[];
  readonly indent?: number;
}

export const CodeBlock = memo(function CodeBlock({ language, lines, indent = 0 }: CodeProps) {
  const code = lines.join('\n');
  const box = useRef<HTMLDivElement>(null);
  const tokens = useTokens(code, language, box);
  return (
    <div className="code-block" ref={box} data-indent={indent || undefined}>
      <div className="code-head">
        <span>{language === '' ? 'text' : visible(language.slice(0, 30))}</span>
        <CopyButton text={() => code} label="Copy the code" />
      </div>
      <pre tabIndex={0} aria-label="Code">
        <code>
          {tokens === null
            ? piecesOf(lines).map((piece, at) => <CodePiece key={at} text={piece} />)
            : tokens.map(({ scope, text }, at) =>
                scope === '' ? (
                  text
                ) : (
                  <span key={at} className={`hl-${scope}`}>
                    {text}
                  </span>
                ),
              )}
        </code>
      </pre>
    </div>
  );
});

const CodePiece = memo(function CodePiece({ text }: { readonly text: string }) {
  return <span>{text}</span>;
});

function piecesOf(lines: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < lines.length; at += PIECE_LINES) {
    const end = at + PIECE_LINES;
    pieces.push(lines.slice(at, end).join('\n') + (end < lines.length ? '\n' : ''));
  }
  return pieces;
}
