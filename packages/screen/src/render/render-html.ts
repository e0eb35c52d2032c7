/**
 * Renders lines as HTML: one `<pre>` with spans and inline styles, for pasting into any page or mail.
 *
 * The program's output is untrusted: every character is escaped, in content and in attributes, and only web and mail
 * addresses become links.
 */
import { DEFAULT_COLOURS, type Rgb, xtermColour } from '@spool/vt';
import { renderedLines, type RenderOptions } from './rendered-lines.ts';
import type { Colour, StyledRun, ScreenLine, Style } from '../snapshot/screen-line.ts';
import type { ScreenModel } from '../engine/screen-model.ts';

export function renderHtml(model: ScreenModel, options: RenderOptions = {}): string {
  const lines = renderedLines(model, options).map(lineHtml);
  return `${HTML_BEGIN}${lines.join('\n')}${HTML_END}`;
}

export const lineHtml = ({ runs }: ScreenLine): string => runs.map(runHtml).join('');

function runHtml({ text, style }: StyledRun): string {
  const css = cssOf(style);
  const body = css === '' ? escapeHtml(text) : `<span style="${css}">${escapeHtml(text)}</span>`;
  return style.link !== undefined && isHarmless(style.link)
    ? `<a href="${escapeHtml(style.link)}" rel="noopener noreferrer nofollow">${body}</a>`
    : body;
}

function cssOf(style: Style): string {
  const foreground = cssColour(style.foreground);
  const background = cssColour(style.background);
  const [front, back] = style.inverse ? [background ?? BACKGROUND, foreground ?? FOREGROUND] : [foreground, background];
  const lines = [style.underline && 'underline', style.strike && 'line-through', style.overline && 'overline'].filter(
    Boolean,
  );
  const css = [
    front && `color:${front}`,
    back && `background:${back}`,
    style.bold && 'font-weight:bold',
    style.italic && 'font-style:italic',
    style.dim && 'opacity:.6',
    style.invisible && 'visibility:hidden',
    lines.length > 0 && `text-decoration-line:${lines.join(' ')}`,
    style.underline &&
      style.underline !== 'single' &&
      `text-decoration-style:${style.underline === 'curly' ? 'wavy' : style.underline}`,
    style.underlineColour !== undefined && `text-decoration-color:${cssColour(style.underlineColour)}`,
  ];
  return css.filter(Boolean).join(';');
}

/** Returns whether a link has a scheme that only opens a page when clicked, and runs no program. */
const isHarmless = (uri: string): boolean => /^(https?|mailto):/i.test(uri);

const cssColour = (colour: Colour | undefined): string | undefined =>
  typeof colour === 'number' ? rgb(xtermColour(colour)) : colour;
const rgb = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const FOREGROUND = rgb(DEFAULT_COLOURS.foreground);
const BACKGROUND = rgb(DEFAULT_COLOURS.background);

/** The text before and after the lines. */
export const HTML_BEGIN = `<pre class="spool-screen" style="color:${FOREGROUND};background:${BACKGROUND}">`;
export const HTML_END = '</pre>';

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
