/** Converts lines to bytes for a terminal: in the colours of the user's palette, or without colours. */
import { type Line, type SpanStyle, plainText, type Tone } from './lines.ts';

const TONES: Readonly<Record<Tone, string>> = {
  prompt: '36',
  heading: '35',
  code: '33',
  link: '34',
  added: '32',
  removed: '31',
  ok: '32',
  working: '33',
  ask: '33',
  error: '31',
  warning: '33',
};

/** Returns whether a tone is shown as bold when there are no colours. */
const isStrong = (tone: Tone | undefined): boolean => tone === 'error' || tone === 'ask' || tone === 'heading';

export type ColourMode = 'colours' | 'weights' | 'none';

export function ansiLine(line: Line, colouring: ColourMode): string {
  if (colouring === 'none') return line.at(-1)?.look.isExact === true ? plainText(line) : plainText(line).trimEnd();
  return line.map(({ text, look }) => styled(text, codesOf(look, colouring))).join('');
}

function codesOf(look: SpanStyle, colouring: ColourMode): string {
  const { tone, bold, dim, italic, strike, inverse } = look;
  return [
    bold || (colouring === 'weights' && isStrong(tone)) ? '1' : '',
    dim ? '2' : '',
    italic ? '3' : '',
    inverse ? '7' : '',
    strike ? '9' : '',
    tone !== undefined && colouring === 'colours' ? TONES[tone] : '',
  ]
    .filter((code) => code !== '')
    .join(';');
}

const styled = (text: string, codes: string): string =>
  codes === '' || text === '' ? text : `\x1b[${codes}m${text}\x1b[m`;
