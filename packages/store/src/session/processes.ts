/** Exports the search for processes, for programs that must end processes without a daemon. */
export { COOKIE } from './process-owners.ts';
export { ProcessSweep, signalMember } from './process-sweep.ts';
