/** The classes of a look of the renderer; the style sheet defines the colours. */
import type { SpanStyle } from '@spool/render';

const FLAGS = ['bold', 'dim', 'italic', 'strike'] as const;

export const lookClass = (look: SpanStyle): string =>
  [look.tone, ...FLAGS.filter((flag) => look[flag] === true)]
    .filter((name) => name !== undefined)
    .map((name) => `look-${name}`)
    .join(' ');
