/**
 * Agents as events: framings, dialects, and the reading of recordings. Everything here is pure; the code that starts processes is
 * elsewhere.
 */
export { agentLines } from './framing/long-line.ts';
export type { CommandInput, Dialect, DialectOptions, DriverInput, LineInput, Step } from './dialect.ts';
export { Driver, type DriverOutput, type RawSpan } from './driver.ts';
export { commandFault } from './ledger/command-check.ts';
export { CHANNEL_DIALECTS, DIALECTS, DRIVER_NAMES, type DriverName, isDriverName } from './dialects.ts';
export { BusiestClient, RecordingReader } from './replay/recording.ts';
