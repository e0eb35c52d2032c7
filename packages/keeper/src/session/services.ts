/** What a session needs from its keeper. */
import type { FdWatch } from '@spool/native/fd-watch';
import type { DaemonEvent, Home } from '@spool/protocol';
import type { DiskTurns } from '../logs/disk-turns.ts';
import type { EndNotes } from '../logs/end-notes.ts';
import type { Flusher } from '../logs/flusher.ts';
import type { Housekeeper } from '../logs/housekeeper.ts';
import type { Notifier } from '../notifier.ts';
import type { OpenLogs } from '../logs/open-logs.ts';
import type { OutputTicks } from '../logs/output-ticks.ts';
import type { Remover } from './remover.ts';
import type { Screens } from '../screens/screens.ts';

export interface SessionServices {
  readonly home: Home;
  readonly watch: FdWatch;
  readonly flusher: Flusher;
  readonly endNotes: EndNotes;
  readonly turns: DiskTurns;
  readonly ticks: OutputTicks;
  readonly openLogs: OpenLogs;
  readonly housekeeper: Housekeeper;
  readonly remover: Remover;
  readonly screens: Screens;
  readonly notifier: Notifier;
  emit(event: DaemonEvent): void;
  warn(sentence: string): void;
  /** Serves the driver of a session on a socket. Returns a function that closes it. */
  serveDriver(fd: number, session: string): () => void;
  /** To the holder: the end is on disk, release the fds. */
  release(id: string): void;
  /** To the holder: offsets below this are used or reserved. */
  note(id: string, endAtLeast: number): void;
  /** To the holder: close your copy of the child's input too. */
  closeChildInput(id: string): void;
}
