/**
 * The parts for programs that show a session, or type into it, by themselves: the two filters that make an attachment safe (for
 * output to a terminal, and for its input), keys and pastes as bytes, and the modes that they depend on.
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
