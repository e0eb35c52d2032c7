/** The looks of `spool watch`. */
import type { SpanStyle } from '@spool/render/lines';

export const LOOKS = {
  title: { bold: true },
  faint: { dim: true },
  chosen: { inverse: true },
  blocked: { tone: 'ask', bold: true },
  working: { tone: 'ok' },
  idle: {},
  starting: { tone: 'prompt' },
  ended: { dim: true },
  failed: { tone: 'error' },
  trouble: { tone: 'error', bold: true },
} as const satisfies Readonly<Record<string, SpanStyle>>;
