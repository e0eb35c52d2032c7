/** The processes that something has started, for those who must end them without a daemon. */
export { COOKIE } from './process-owners.ts';
export { ProcessSweep, signalMember } from './process-sweep.ts';
