/**
 * Attaches a viewer: sends the snapshot first, then the bytes after it. The viewer's size is applied once the snapshot
 * is on its way. Keeps ATT-1, SIZE-4 and ATT-7: a viewer that takes over detaches the others; a read-only viewer
 * cannot type (`watcher.ts`).
 */
import { type Requests, SpoolError, type WatchEvent } from '@spool/protocol';
import { checkReaches } from './check-reaches.ts';
import type { ClientConnection } from '../clients/connection.ts';
import type { KeeperSession } from '../sessions/session.ts';
import { type AttachedViewer, isSameSize } from './viewers.ts';
import { type Snapshot, Watcher } from './watcher.ts';

/** A session without a terminal has no snapshot, so the viewer gets this many bytes of its last output. */
const PIPES_TAIL_BYTES = 64 * 1024;

type AttachRequest = Requests['attach']['ask'];

export function attach(
  session: KeeperSession,
  ask: AttachRequest,
  connection: ClientConnection,
  channel: number,
): undefined {
  if (connection.watchers.has(channel)) throw new SpoolError('REQUEST_INVALID', { channel: 'is in use' });
  const { creditBytes, isReadOnly = false, followsSize = false, lateMs } = ask;
  const isTerminal = session.info.size !== null;
  const { start, end } = session.log;
  const from = ask.from ?? (isTerminal ? end : Math.max(start, end - PIPES_TAIL_BYTES));
  checkReaches(end, from);
  const takeSnapshot = async (historyLines: number): Promise<Snapshot> => {
    const snapshot = await session.screen({ type: 'snapshot', historyLines });
    if (snapshot.missingBytes > 0) watcher.emitLatest(missingNotice(session, snapshot.missingBytes));
    return snapshot;
  };
  const watcher = new Watcher({
    connection,
    channel,
    session,
    from,
    creditBytes,
    followsSize,
    lateMs,
    inputStream: ask.typing,
    inside: ask.inside,
    ...(isTerminal && { takeSnapshot }),
  });
  connection.watchers.set(channel, watcher);
  if (ask.takeover) sendOthersAway(session, connection.who);
  const viewer: AttachedViewer = {
    watcher,
    who: connection.who,
    isReadOnly,
    since: Date.now(),
    size: null,
    isFocused: false,
  };
  const typedOffset = session.input.journal.typedOf(ask.typing);
  connection.reply(channel, {
    id: session.id,
    size: session.info.size,
    typedOffset,
  } satisfies Requests['attach']['answer']);
  session.viewers.add(viewer);
  if (ask.colours) session.view.change(viewer, { colours: ask.colours });
  if (ask.from !== undefined) watcher.tellSize(from);
  // History that was painted at another size would disturb the next snapshot.
  const { historyLines = 0 } = ask;
  const isSizedFirst = historyLines > 0;
  if (isSizedFirst) applySize();
  const painted = ask.from === undefined ? watcher.snapshot(historyLines) : Promise.resolve(watcher.pump());
  void painted.then(async () => {
    session.view.tellViewers();
    // A terminal of another size moves its lines: the lines that were painted before no longer match the session's screen.
    if (!isSizedFirst && applySize()) await watcher.snapshot();
  });
  return undefined;

  /** Returns true if the size of the session changes. */
  function applySize(): boolean {
    if (isReadOnly || !ask.size || !session.viewers.of(watcher)) return false;
    const before = session.info.size;
    if (ask.isReattach) session.viewers.restore(viewer, ask.size, before);
    else {
      viewer.size = ask.size;
      session.view.applySize(watcher);
    }
    return !isSameSize(before, session.info.size);
  }
}

/** Returns the notice that output is missing: a blank or wrong screen must not pass for the real one. */
function missingNotice({ id, name }: KeeperSession, bytes: number): Extract<WatchEvent, { type: 'notice' }> {
  const body = `${bytes} bytes of its output are no longer stored; the screen is shown without them`;
  return { type: 'notice', session: id, name, title: `${name}: output is missing`, body };
}

function sendOthersAway(session: KeeperSession, who: string): void {
  for (const other of [...session.viewers.all()]) {
    if (other.isReadOnly) continue;
    other.watcher.emit({ type: 'taken-over', by: who });
    other.watcher.close();
  }
}
