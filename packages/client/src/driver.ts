/** The parts of the client that a driver needs: its requests, and both logs of its session as records and bytes. */
export { Link } from './link/link.ts';
export { Requester } from './link/requests.ts';
export type { Runtime } from './link/runtime.ts';
export { StreamTransport } from './link/stream-transport.ts';
export { type RecordItem, RecordWatch } from './streams/record-watch.ts';
export { Watch } from './streams/watch.ts';
export type { WatchItem } from './streams/watch-queue.ts';
