/** Bytes of a terminal: found, followed, answered, filtered, typed, read. No clock, no Node, no dependencies. */
export { CONTROL_BYTES_MAX, EscapeScanner, STRING_BYTES_MAX } from './escape-scanner.ts';
export type { C1, ScanListener, ScannerOptions } from './escape-scanner.ts';
export { bytesOf, oscCodeOf, oscPayloadOf, oscTextFrom, paramOf, paramsOf, payloadOf } from './sequence.ts';
export type { Sequence, SequenceKind } from './sequence.ts';
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
} from './modes.ts';
export type { AlternateMode, FlagName, ModeState, MouseEncoding, MouseMode, RestoreOptions } from './modes.ts';
export { answer, queriesOf } from './queries.ts';
export type { Query, QueryKind, QueryPlace, TerminalFacts, UnansweredQuery } from './queries.ts';
export {
  ColourTable,
  coloursOfFgBg,
  DEFAULT_COLOURS,
  formatColour,
  isDark,
  parseColour,
  xtermColour,
} from './colours.ts';
export type { BaseColours, Rgb } from './colours.ts';
export { SHOWN_TITLE_CHARACTERS_MAX, shownLink, ViewerFilter } from './viewer-filter.ts';
export type { ViewerFilterOptions } from './viewer-filter.ts';
export { encodeKey, keyNames, paste } from './keys.ts';
export {
  DEFAULT_DETACH_KEYS,
  DETACH_HOLD_MS,
  ESCAPE_HOLD_MS,
  PAN_HOLD_MS,
  parseDetachKeys,
  TypedInput,
} from './typed-input.ts';
export type { DetachKey, TypedPiece } from './typed-input.ts';
export { encodeMouse, mouseReportOf } from './mouse-report.ts';
export type { MouseReport } from './mouse-report.ts';
export type { PanKey } from './pan-keys.ts';
export { FactReader } from './facts.ts';
export type { Fact, FactKind, FactPlace, ProgramStatus, Progress } from './facts.ts';
export { OutputFollower } from './output-follower.ts';
export type { FollowListener, FollowOptions } from './output-follower.ts';
export { LineText } from './text.ts';
export { LINES_LOOK_BACK_BYTES, LineStreams } from './line-streams.ts';
export type { LineTextOptions, TextLine } from './text.ts';
export { CHUNK_BYTES_MAX, TextChunker } from './text-chunker.ts';
export type { Chunking, TextChunk, TextChunkOptions } from './text-chunker.ts';
export { TextStreams } from './text-streams.ts';
export type { Arrival, StreamChunk, StreamName, TextStreamsOptions } from './text-streams.ts';
export { cleanText, isUnfit } from './clean-text.ts';
export { cellsOf, cellsOfText, cutToCells, isContested } from './character-width.ts';
export { cutCharacterBytes, decodeUtf8, encodeUtf8, Utf8Decoder } from './utf8.ts';
export { workingDirectoryOf } from './working-directory.ts';
export type { WorkingDirectory } from './working-directory.ts';
