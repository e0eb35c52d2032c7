/**
 * Catches up with what a watcher has missed: the server lists the latest turns with their items to a client that joins. Keeps the
 * part of CHAN-3 about Codex: an item that was complete before is not taken again.
 */
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json-value.ts';
import { itemCompleted, itemStarted } from '../items.ts';
import { turnCompleted } from '../notifications.ts';
import { remember, type WatchedWork } from './state.ts';

/** The number of turns that are requested. */
export const TURNS_LISTED = 20;

/** Takes a page of turns, the latest first. */
export function catchUp(work: WatchedWork, page: JsonObject): void {
  const { state, ledger } = work;
  const turns = listOf(page.data).filter(isObject).toReversed();
  const known = turns.findIndex(({ id }) => id === state.lastTurn);
  if (known < 0 && state.lastTurn !== null && turns.length > 0) {
    const text = `More than ${TURNS_LISTED} turns ended while they were not recorded; the first of them are missing.`;
    ledger.emit({ kind: 'notice', level: 'warning', code: 'turns-missing', text });
  }
  // The history of a thread that is older than the session is elsewhere: only its running turn is new.
  const isOld = state.lastTurn === null && !state.isFresh;
  const missed = isOld
    ? turns.slice(-1).filter(({ status }) => status === 'inProgress')
    : turns.slice(Math.max(0, known));
  for (const turn of missed) takeTurn(work, turn);
}

function takeTurn(work: WatchedWork, turn: JsonObject): void {
  const { state, ledger } = work;
  const id = textOf(turn.id) ?? '';
  const isOpen = turn.status === 'inProgress';
  if (id === state.lastTurn && state.turn === null) return; // it had already ended
  if (id !== state.turn) {
    if (state.turn !== null) ledger.endTurn({ outcome: 'interrupted', stopReason: 'superseded' });
    state.turn = id;
    state.attempt = [];
    ledger.ensureTurn('user');
  }
  state.lastTurn = id;
  for (const item of listOf(turn.items).filter(isObject)) takeItem(work, item);
  if (!isOpen) turnCompleted(work, { turn });
}

function takeItem(work: WatchedWork, item: JsonObject): void {
  const { state, ledger } = work;
  const id = textOf(item.id) ?? '';
  if (state.completed.includes(id)) return;
  if (item.status === 'inProgress' || item.completedAtMs === null) {
    if (!ledger.hasTool(id)) itemStarted(work, item);
    return;
  }
  ledger.toolAnswered(id); // meanwhile, if its request is open here
  itemCompletedOnce(work, item);
}

/** Takes a complete item, unless it was taken before. */
export function itemCompletedOnce(work: WatchedWork, item: JsonObject): boolean {
  const { state } = work;
  const id = textOf(item.id) ?? '';
  if (state.completed.includes(id)) return true;
  remember(state.completed, id);
  const clientId = textOf(objectOf(item).clientId);
  if (clientId !== undefined && state.unconfirmed?.clientId === clientId) state.unconfirmed = null;
  return itemCompleted(work, item);
}
