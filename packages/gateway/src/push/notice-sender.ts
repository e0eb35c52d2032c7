/**
 * Takes notices from the keeper and sends them to every channel that the user has configured and every browser that has subscribed.
 * The keeper keeps a notice until it is reported as sent, so that the next gateway sends the notices that this one could not. Keeps
 * NOTE-1.
 */
import { createHash } from 'node:crypto';
import * as files from 'node:fs';
import { type Client, readRequest } from '@spool/client';
import { mayDo, type Notice, type NoticeOutcome } from '@spool/protocol';
import { readConfig, type UserSettings } from '@spool/protocol/config';
import { isWithin } from '../auth/guard/scope.ts';
import type { TokenCache } from '../auth/token-cache.ts';
import { Delivery } from './delivery.ts';
import { ntfyMessage, type NoticeLinks, pushText, webhookMessage, type WholeNotice } from './messages.ts';
import type { PushTargets, PushTarget } from './push-targets.ts';
import { encryptPush, vapidHeader } from './push-message.ts';
import { isPushService } from './push-services.ts';

/** The maximum age of a notice; an older one is no longer useful. */
const AGE_MS_MAX = 10 * 60 * 1000;

/** The time for which a push service keeps a message for a phone that is off. */
const PUSH_TTL_S = 3600;

/** The pause between two attempts to reach a keeper. */
const KEEPER_AGAIN_MS = 500;

export interface NoticeSenderOptions {
  readonly keeper: Client;
  readonly configFile: string;
  readonly tokenCache: TokenCache;
  readonly pushTargets: PushTargets;
  /** Returns the creator of links; null if the gateway has no server. */
  place(): NoticeLinks | null;
}

export class NoticeSender {
  readonly #options: NoticeSenderOptions;
  readonly #delivery = new Delivery();

  constructor(options: NoticeSenderOptions) {
    this.#options = options;
  }

  get settings(): UserSettings {
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
        // No keeper for longer than a client waits: the next one will come.
        await new Promise((resolve) => setTimeout(resolve, KEEPER_AGAIN_MS));
      }
    }
  }

  async #send(taken: Notice): Promise<readonly NoticeOutcome[]> {
    if (Date.now() - taken.at > AGE_MS_MAX) return [];
    const notice = await this.#wholeNotice(taken);
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
    for (const subscription of this.#options.pushTargets.all()) {
      const pushed = this.#push(notice, subscription, settings['notify.pushServices']);
      if (pushed) sent.push(pushed);
    }
    return await Promise.all(sent);
  }

  /** Reads the request from its record in the events log. Without it a notification has no answers. */
  async #wholeNotice(notice: Notice): Promise<WholeNotice> {
    const { session, request } = notice;
    if (!request) return notice;
    const event = await readRequest(this.#options.keeper, session, request).catch(() => null);
    return { ...notice, event: event?.digest === request.digest ? event : null };
  }

  async #post(notice: Notice, channel: NoticeOutcome['channel'], url: URL, message: object): Promise<NoticeOutcome> {
    const body = Buffer.from(JSON.stringify(message));
    const headers = { 'content-type': 'application/json' };
    const { trouble } = await this.#delivery.send({ url, headers, body }, { isTest: notice.about === 'test' });
    return { channel, trouble };
  }

  /** Returns null if this browser must not be notified of it. */
  #push(notice: WholeNotice, subscription: PushTarget, services: readonly string[]): Promise<NoticeOutcome> | null {
    const { tokenCache, pushTargets } = this.#options;
    const { endpoint, keys, token: id } = subscription;
    const token = tokenCache.get(id);
    if (!token || !isPushService(endpoint, services)) {
      pushTargets.remove((one) => one.id === subscription.id);
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
    { id, endpoint }: PushTarget,
    { text, isTest, isUrgent, topic }: { text: Buffer; isTest: boolean; isUrgent: boolean; topic: string },
  ): Promise<NoticeOutcome> {
    const { pushTargets, place } = this.#options;
    const url = new URL(endpoint);
    const at = place()?.url ?? '';
    const contact = at.startsWith('https:') ? new URL(at).origin : 'mailto:spool@example.org';
    const headers = {
      authorization: vapidHeader(pushTargets.key, url.origin, contact),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(PUSH_TTL_S),
      urgency: isUrgent ? 'high' : 'normal',
      topic, // a later message about the same session replaces one that has not arrived yet
    };
    const { trouble, isGone } = await this.#delivery.send({ url, headers, body: text }, { isTest });
    if (isGone) pushTargets.remove((one) => one.id === id);
    return { channel: 'push', trouble };
  }
}
