/** Events of agents as lines of styled text: pure, for terminals, pipes, MCP and the page. */
export { ansiLine, type Colouring } from './ansi.ts';
export { HTML_STYLE, htmlLine } from './html.ts';
export {
  cutLine,
  isBlank,
  type Line,
  lineWidth,
  type Look,
  plainText,
  type Span,
  span,
  type Tone,
  widthOf,
} from './lines.ts';
export { markdownLines } from './markdown/markdown.ts';
export type { Asked, AskOutcome, Entry } from './transcript/entries.ts';
export { contentText, subjectOf, Transcript, type Waiting } from './transcript/transcript.ts';
export { askLines, permissionLines, permissionTitle } from './view/ask-lines.ts';
export { DocumentView } from './view/document.ts';
export { costText, countText, durationText, promptLines, tokensText, type ViewOptions } from './view/entry-lines.ts';
export { TranscriptPrinter } from './view/printer.ts';
export { visible, visibleTitle } from './visible-text.ts';
export { wrap } from './wrap.ts';
