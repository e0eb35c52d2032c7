/** Spans of the renderer as text of the page. Only web addresses become links. */
import type { Line, SpanStyle } from '@spool/render';
import { lookClass } from './look-class.ts';

const WEB_ADDRESS = /^https?:\/\/\S+$/;

export function Spans({ line }: { readonly line: Line }) {
  return line.map(({ text, look }, at) => <Piece key={at} text={text} look={look} />);
}

function Piece({ text, look }: { readonly text: string; readonly look: SpanStyle }) {
  if (look.tone === 'link' && WEB_ADDRESS.test(text))
    return (
      <a href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  if (look.tone === 'code') return <code>{text}</code>;
  const name = lookClass(look);
  return name === '' ? text : <span className={name}>{text}</span>;
}
