/**
 * Passes notifications of nodes on to the keeper of this machine, whose user has chosen the channels. Keeps NODE-46. A notification can
 * start a command and reach a phone, so the number from each node is limited.
 */
import type { Client } from '@spool/client';
import { findControlCharacter, type Requests } from '@spool/protocol';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import { z } from 'zod';
import type { NodeNotification } from './online-node.ts';

const NOTICE = REQUEST_SCHEMAS.nodeNotice as z.ZodType<Requests['nodeNotice']['ask']>;

/** The maximum for each node in an interval. Further ones are dropped. */
const NOTICES_MAX = 60;
const INTERVAL_MS = 60_000;

export class NodeNotices {
  readonly #keeper: Client;
  readonly #counts = new Map<string, { readonly sinceMs: number; notices: number }>();

  constructor(keeper: Client) {
    this.#keeper = keeper;
  }

  /** Passes a message on if it is a valid notification; it comes from another machine. A failure loses only this notification. */
  async pass(node: string, notification: NodeNotification): Promise<void> {
    if (!this.#isWithinLimit(node)) return;
    const { id, name, about, title, body } = notification;
    const checked = NOTICE.safeParse({ node, session: id, name, about, title, body });
    if (!checked.success) return warn(node, z.prettifyError(checked.error));
    if (findControlCharacter(checked.data.session) !== null) return warn(node, 'a session with a control character');
    await this.#keeper.doors.nodeNotice(checked.data).catch((error: Error) => warn(node, error.message));
  }

  #isWithinLimit(node: string): boolean {
    const nowMs = performance.now();
    let count = this.#counts.get(node);
    if (count === undefined || nowMs - count.sinceMs >= INTERVAL_MS) count = { sinceMs: nowMs, notices: 0 };
    this.#counts.set(node, count);
    count.notices++;
    if (count.notices === NOTICES_MAX + 1) warn(node, 'too many; further ones are dropped for a minute');
    return count.notices <= NOTICES_MAX;
  }
}

function warn(node: string, reason: string): void {
  process.stderr.write(`gateway: a notification of ${node}: ${reason}\n`);
}
