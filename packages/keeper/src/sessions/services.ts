/** The services that a session needs from its keeper. */
import type { FdWatch } from '@spool/native/fd-watch';
import type { DaemonEvent, Home } from '@spool/protocol';
import type { DriverTraffic } from '../agents/driver-host.ts';
import type { DriverHosts } from '../agents/driver-hosts.ts';
import type { Semaphore } from '@spool/native/semaphore';
import type { EndNotes } from '../logs/end-notes.ts';
import type { Flusher } from '../logs/flusher.ts';
import type { Housekeeper } from '../retention/housekeeper.ts';
import type { Notifier } from '../notifier.ts';
import type { OpenLogs } from '../logs/open-logs.ts';
import type { OutputTicks } from '../children/output-ticks.ts';
import type { Remover } from './remover.ts';
import type { Screens } from '../screens/screens.ts';

export interface SessionServices {
  readonly home: Home;
  readonly watch: FdWatch;
  readonly flusher: Flusher;
  readonly endNotes: EndNotes;
  /** Admits tasks that wait for the disk. */
  readonly diskAccess: Semaphore;
  readonly ticks: OutputTicks;
  readonly openLogs: OpenLogs;
  readonly housekeeper: Housekeeper;
  readonly remover: Remover;
  readonly screens: Screens;
  readonly notifier: Notifier;
  readonly driverHosts: DriverHosts;
  emit(event: DaemonEvent): void;
  warn(sentence: string): void;
  /** Serves the driver of a session on a socket. Returns a function that closes it. */
  serveDriver(fd: number, session: string, traffic: DriverTraffic): () => void;
  /** Asks the holder to release the fds, because the end is on disk. */
  release(id: string): void;
  /** Reports to the holder that offsets below this are used or reserved. */
  note(id: string, endAtLeast: number): void;
  /** Asks the holder to close its copy of the child's input too. */
  closeChildInput(id: string): void;
}
