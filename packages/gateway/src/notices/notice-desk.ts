/**
 * Takes notices from the keeper and sends them to every channel that the user has configured and every browser that has subscribed. The
 * keeper keeps a notice until it is reported here as done, so that the next gateway sends what this one could not. Keeps NOTE-1.
 */
import { createHash } from 'node:crypto';
import * as files from 'node:fs';
import type { Client } from '@spool/client';
import { mayDo, type Notice, type NoticeOutcome } from '@spool/protocol';
import { readConfig, type Settings } from '@spool/protocol/config';
import { isWithin } from '../guard/scope.ts';
import type { TokenBook } from '../token-book.ts';
import { Delivery } from './delivery.ts';
import { ntfyMessage, type Place, pushText, webhookMessage } from './messages.ts';
import type { PushBook, Subscription } from './push-book.ts';
import { encryptPush, vapidHeader } from './push-message.ts';
import { isPushService } from './push-services.ts';

/** What could not be sent for so long is no news. */
const AGE_MS_MAX = 10 * 60 * 1000;

/** A push service keeps a message this long for a phone that is off. */
const PUSH_TTL_S = 3600;

/** Between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 500;

export interface NoticeDeskOptions {
  readonly keeper: Client;
  readonly configFile: string;
  readonly book: TokenBook;
  readonly pushBook: PushBook;
  /** Null: no door is open. */
  place(): Place | null;
}

export class NoticeDesk {
  readonly #options: NoticeDeskOptions;
  readonly #delivery = new Delivery();

  constructor(options: NoticeDeskOptions) {
    this.#options = options;
  }

  get settings(): Settings {
    return readConfig(this.#options.configFile, files).settings;
  }

  async run(): Promise<never> {
    const { keeper } = this.#options;
    for (let after = 0; ;) {
      try {
        for (const notice of await keeper.doors.notices(after)) {
          after = notice.n;
          void this.#send(notice)
            .then((outcomes) => keeper.doors.noticeDone(notice.n, outcomes))
            .catch((error: Error) => process.stderr.write(`gateway: a notification: ${error.message}\n`));
        }
      } catch {
        // No keeper for longer than a client waits: its successor will come
        await new Promise((resolve) => setTimeout(resolve, KEEPER_AGAIN_MS));
      }
    }
  }

  async #send(notice: Notice): Promise<readonly NoticeOutcome[]> {
    if (Date.now() - notice.at > AGE_MS_MAX) return [];
    const { settings } = this;
    const { 'notify.webhook': webhook, 'notify.ntfy': ntfy, 'notify.actions': hasActions } = settings;
    const place = this.#options.place();
    const sent: Promise<NoticeOutcome>[] = [];
    if (webhook !== null)
      sent.push(this.#post(notice, 'webhook', new URL(webhook), webhookMessage(notice, place, hasActions)));
    if (ntfy !== null) {
      const cut = ntfy.lastIndexOf('/');
      const message = ntfyMessage(notice, ntfy.slice(cut + 1), place, hasActions);
      sent.push(this.#post(notice, 'ntfy', new URL(ntfy.slice(0, cut + 1)), message));
    }
    for (const subscription of this.#options.pushBook.all()) {
      const pushed = this.#push(notice, subscription, settings['notify.pushServices']);
      if (pushed) sent.push(pushed);
    }
    return await Promise.all(sent);
  }

  async #post(notice: Notice, channel: NoticeOutcome['channel'], url: URL, message: object): Promise<NoticeOutcome> {
    const body = Buffer.from(JSON.stringify(message));
    const headers = { 'content-type': 'application/json' };
    const { trouble } = await this.#delivery.send({ url, headers, body }, { isTest: notice.about === 'test' });
    return { channel, trouble };
  }

  /** Null if this browser is not to know of it. */
  #push(notice: Notice, subscription: Subscription, services: readonly string[]): Promise<NoticeOutcome> | null {
    const { book, pushBook } = this.#options;
    const { endpoint, keys, token: id } = subscription;
    const token = book.get(id);
    if (!token || !isPushService(endpoint, services)) {
      pushBook.remove((one) => one.id === subscription.id);
      return null;
    }
    const { session, labels, about } = notice;
    if (session !== '' && !isWithin(token.scope, { id: session, labels })) return null;
    const text = pushText(notice, mayDo(token.role, 'prompter'));
    const [p256dh, auth] = [keys.p256dh, keys.auth].map((key) => Buffer.from(key, 'base64url')) as [Buffer, Buffer];
    return this.#postPush(subscription, {
      text: encryptPush(text, { p256dh, auth }),
      isTest: about === 'test',
      isUrgent: about === 'blocked' || about === 'failure',
      topic: createHash('sha256').update(session).digest('base64url').slice(0, 32),
    });
  }

  async #postPush(
    { id, endpoint }: Subscription,
    { text, isTest, isUrgent, topic }: { text: Buffer; isTest: boolean; isUrgent: boolean; topic: string },
  ): Promise<NoticeOutcome> {
    const { pushBook, place } = this.#options;
    const url = new URL(endpoint);
    const at = place()?.url ?? '';
    const contact = at.startsWith('https:') ? new URL(at).origin : 'mailto:spool@example.org';
    const headers = {
      authorization: vapidHeader(pushBook.key, url.origin, contact),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(PUSH_TTL_S),
      urgency: isUrgent ? 'high' : 'normal',
      topic, // a later message about the same session replaces one that has not arrived
    };
    const { trouble, isGone } = await this.#delivery.send({ url, headers, body: text }, { isTest });
    if (isGone) pushBook.remove((one) => one.id === id);
    return { channel: 'push', trouble };
  }
}
