/** Lines as bytes for a terminal: colours of the user's own palette, or none. */
import { type Line, type Look, plainText, type Tone } from './lines.ts';

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

/** Without colours, weight is all that is left. */
const isStrong = (tone: Tone | undefined): boolean => tone === 'error' || tone === 'ask' || tone === 'heading';

export type Colouring = 'colours' | 'weights' | 'none';

export function ansiLine(line: Line, colouring: Colouring): string {
  if (colouring === 'none') return plainText(line).trimEnd();
  return line.map(({ text, look }) => styled(text, codesOf(look, colouring))).join('');
}

function codesOf(look: Look, colouring: Colouring): string {
  const { tone, bold, dim, italic, strike } = look;
  return [
    bold || (colouring === 'weights' && isStrong(tone)) ? '1' : '',
    dim ? '2' : '',
    italic ? '3' : '',
    strike ? '9' : '',
    tone !== undefined && colouring === 'colours' ? TONES[tone] : '',
  ]
    .filter((code) => code !== '')
    .join(';');
}

const styled = (text: string, codes: string): string =>
  codes === '' || text === '' ? text : `\x1b[${codes}m${text}\x1b[m`;
