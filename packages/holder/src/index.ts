export { DaemonLog } from './daemon-log.ts';
export { Holder } from './holder.ts';
export { makeSafeFolder } from './safe-folder.ts';
