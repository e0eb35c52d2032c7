/** Agents as events: framings, dialects, and the reading of recordings. Everything here is pure; starting processes is not. */
export { LINE_BYTES_MAX, LineFraming, type FramedLine } from './framing/lines.ts';
export type { CommandInput, Dialect, DialectOptions, DriverInput, LineInput, Step } from './dialect.ts';
export { type Checkpoint, Driver, type DriverOutput } from './driver.ts';
export { DIALECTS, DRIVER_NAMES, type DriverName, isDriverName } from './dialects.ts';
export { BusiestClient, RecordingReader } from './replay/recording.ts';
