/**
 * For programs that show a session or type into it by themselves: the two parts with which an attachment is safe (what a
 * terminal may be shown, and what it may send), keys and pastes as bytes, and the modes that they follow.
 */
export {
  encodeKey,
  INITIAL_MODES,
  isSameModes,
  keyNames,
  type ModeState,
  ModeTracker,
  paste,
  type TerminalModes,
  terminalModesOf,
  TypedInput,
  type TypedPiece,
  ViewerFilter,
  type ViewerFilterOptions,
} from '@spool/vt';
