/** Renders events of agents as lines of styled text: pure functions, for terminals, pipes, MCP and the page. */
export { ansiLine, type ColourMode } from './ansi.ts';
export { HTML_STYLE, htmlLine } from './html.ts';
export {
  cutLine,
  joinVisible,
  repeated,
  sliceVisible,
  isBlank,
  type Line,
  lineWidth,
  type SpanStyle,
  plainText,
  type Span,
  span,
  type Tone,
  widthOf,
} from './lines.ts';
export type { Align, Block } from './markdown/blocks.ts';
export { inline } from './markdown/inline.ts';
export { markdownLines } from './markdown/markdown.ts';
export { StreamedMarkdown } from './markdown/streamed-markdown.ts';
export { changeRows, type ChangeRow } from './parts/change-rows.ts';
export { changedWords, type WordRange } from './parts/changed-words.ts';
export { type OutputSpan, outputLines } from './parts/colour-spans.ts';
export type {
  AgentRequestEvent,
  AskOutcome,
  PromptEntry,
  ToolEntry,
  TranscriptEntry,
  TurnEndEntry,
} from './transcript/entries.ts';
export {
  type BackgroundTask,
  contentText,
  Transcript,
  type PendingPrompt,
  type UsedQuota,
} from './transcript/transcript.ts';
export { hardRows, type RowPlace } from './request/exact-rows.ts';
export {
  fitLines,
  isExplained,
  type ShownPermission,
  type QuestionAsk,
  type RequestAsk,
  requestLines,
  requestParts,
  requestText,
} from './request/request-lines.ts';
export { cutRequest, REQUEST_LINES_MAX } from './view/ask-lines.ts';
export { DocumentView } from './view/document.ts';
export { costText, countText, promptLines, tokensText, type ViewOptions } from './view/entry-lines.ts';
export { TranscriptPrinter } from './view/printer.ts';
export { say, visible, visibleTitle, type VisibleText } from '@spool/protocol/visible-text';
export { wrap } from './wrap.ts';
