import { say, visible } from '@spool/protocol/visible-text';
import { expect, test } from 'vitest';
import { cutLine, joinVisible, plainText, span } from './lines.ts';

const raw: string = '\u001b[2J';

test('[REQ-2] a raw text does not compile as a span; what was made visible, and words of the source, do', () => {
  const spans = [span('words'), span(visible(raw)), span(say`a ${visible(raw)} b ${1}`), span(raw === '' ? 'x' : 'y')];
  expect(plainText(spans)).toBe('words\\e[2Ja \\e[2J b 1y');
  // Never called: only the compiler reads these lines.
  const refused = (): unknown => [
    // @ts-expect-error an untrusted string
    span(raw),
    // @ts-expect-error a template that contains a string
    span(`a ${raw}`),
    // @ts-expect-error a part of a visible text may contain anything again
    span(visible(raw).slice(1)),
    // @ts-expect-error also as one case of two
    span(raw === '' ? 'x' : raw),
    // @ts-expect-error `say` takes only visible values
    say`a ${raw}`,
    // @ts-expect-error a span that is written out
    cutLine([{ text: raw, look: {} }], 1),
    // @ts-expect-error joined with others
    joinVisible([raw]),
  ];
  expect(refused).toBeTypeOf('function');
});
