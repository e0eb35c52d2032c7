export * from './life.ts';
export { Log } from './log.ts';
export * from './log-types.ts';
export { firstOffsetIn } from './log-folder.ts';
export * from './process-sweep.ts';
export * from './session-files.ts';
export * from './process-owners.ts';
export * from './termination.ts';
export * from './session-record.ts';
