/**
 * Terminal bytes: scanning, state, queries, filtering, input, text. The package has no clock, does not use Node, and has no
 * dependencies.
 */
export { concat } from './scan/concat.ts';
export { CONTROL_BYTES_MAX, EscapeScanner, STRING_BYTES_MAX } from './scan/escape-scanner.ts';
export { plainLineEnds } from './scan/plain-lines.ts';
export type { C1, ScanListener, ScannerOptions } from './scan/escape-scanner.ts';
export { bytesOf, oscCodeOf, oscPayloadOf, oscTextFrom, paramOf, paramsOf, payloadOf } from './scan/sequence.ts';
export type { Sequence, SequenceKind } from './scan/sequence.ts';
export {
  ANYTHING_SET,
  asRestored,
  INITIAL_MODES,
  isInputMode,
  isModeSet,
  kittyFlags,
  ModeTracker,
  POP_KEYBOARD,
  POP_TITLE,
  PUSH_KEYBOARD,
  PUSH_TITLE,
  restore,
  undo,
  withoutInput,
} from './state/modes.ts';
export type { AlternateMode, FlagName, ModeState, MouseEncoding, MouseMode, RestoreOptions } from './state/modes.ts';
export { isSameModes, terminalModesOf } from './state/terminal-modes.ts';
export type { TerminalModes } from './state/terminal-modes.ts';
export { answerQuery, queriesOf } from './state/queries.ts';
export type { Query, QueryKind, QueryPlace, TerminalFacts, UnansweredQuery } from './state/queries.ts';
export {
  ColourTable,
  coloursOfFgBg,
  DEFAULT_COLOURS,
  formatColour,
  isDark,
  parseColour,
  xtermColour,
} from './state/colours.ts';
export type { BaseColours, Rgb } from './state/colours.ts';
export { DRAWING_BYTES, SHOWN_TITLE_CHARACTERS_MAX, shownLink, ViewerFilter } from './viewer/viewer-filter.ts';
export type { ViewerFilterOptions } from './viewer/viewer-filter.ts';
export { encodeKey, keyNames, paste } from './viewer/keys.ts';
export {
  DEFAULT_DETACH_KEYS,
  DETACH_HOLD_MS,
  ESCAPE_HOLD_MS,
  PAN_HOLD_MS,
  parseDetachKeys,
  TypedInput,
} from './viewer/typed-input.ts';
export type { DetachKey, TypedPiece } from './viewer/typed-input.ts';
export { encodeMouse, mouseReportOf } from './viewer/mouse-report.ts';
export type { MouseReport } from './viewer/mouse-report.ts';
export { CURSOR_KEYS, type PanKey } from './viewer/pan-keys.ts';
export { FactReader } from './state/osc-events.ts';
export type { OscEvent, FactKind, FactPlace, ProgramStatus, Progress } from './state/osc-events.ts';
export { OutputFollower } from './state/output-follower.ts';
export type { FollowListener, FollowOptions } from './state/output-follower.ts';
export { LineText } from './text/text.ts';
export { LINES_LOOK_BACK_BYTES, LineStreams } from './text/line-streams.ts';
export type { LineTextOptions, TextLine } from './text/text.ts';
export { CHUNK_BYTES_MAX, TextChunker } from './text/text-chunker.ts';
export type { Ansi, ChunkingMode, TextChunk, TextChunkOptions } from './text/text-chunker.ts';
export { TextStreams } from './text/text-streams.ts';
export type { Arrival, StreamChunk, StreamName, TextStreamsOptions } from './text/text-streams.ts';
export { cleanText, isUnfit } from './viewer/clean-text.ts';
export { cellsOf, cellsOfText, cutToCells, isContested } from './scan/character-width.ts';
export { cutCharacterBytes, decodeUtf8, encodeUtf8, Utf8Decoder } from './scan/utf8.ts';
export { workingDirectoryOf } from './state/working-directory.ts';
export type { WorkingDirectory } from './state/working-directory.ts';
