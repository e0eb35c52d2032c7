/** The handlers of the requests about gateway and tokens. */
import type { AuditEntry, GatewayAnswers, Requests } from '@spool/protocol';
import type { Keeper } from '../keeper.ts';
import type { ClientConnection } from './connection.ts';

type Handler<K extends keyof GatewayAnswers> = (
  keeper: Keeper,
  ask: Requests[K]['ask'],
  connection: ClientConnection,
  channel: number,
) => Requests[K]['answer'] | Promise<Requests[K]['answer']> | undefined;

export const DOOR_HANDLERS: { readonly [K in keyof GatewayAnswers]: Handler<K> } = {
  async gateway({ gateway }, { action, options }) {
    if (action === 'start') return { gateway: await gateway.start(options) };
    const found = gateway.info;
    if (action === 'stop') gateway.stop();
    return { gateway: found };
  },

  serveGateway({ gateway }, ask, connection, channel) {
    const end = (): void => {
      connection.waits.delete(channel);
      connection.reply(channel, {});
    };
    const forget = gateway.serve(ask, end, connection.version);
    if (ask.info) connection.waits.set(channel, forget);
    return undefined;
  },

  createToken({ tokens, audit }, ask, { who }) {
    const made = tokens.create(ask);
    audit.record([local(who, `${ask.kind}-created`, `${made.info.id}, ${ask.role}, ${made.info.name}`)]);
    return made;
  },

  listTokens: ({ tokens }) => ({ tokens: tokens.list() }),

  revokeToken({ tokens, audit }, { token }, { who }) {
    const info = tokens.revoke(token);
    audit.record([local(who, 'token-revoked', `${info.id}, ${info.name}`)]);
    return { info };
  },

  redeemToken: ({ tokens }, ask) => tokens.redeem(ask),

  recordAudit({ audit }, { entries }) {
    audit.record(entries);
    return {};
  },

  nodeNotice({ notifier }, notice) {
    notifier.ofNode(notice);
    return {};
  },

  notices({ notices }, { after }, connection, channel) {
    const forget = notices.take(after, (found) => {
      connection.waits.delete(channel);
      connection.reply(channel, { notices: found });
    });
    connection.waits.set(channel, forget);
    return undefined;
  },

  noticeDone({ notices }, { n, outcomes }) {
    notices.done(n, outcomes);
    return {};
  },

  audit: ({ auditPages }, { after = 0 }) => auditPages.page(after),
};

function local(who: string, what: string, note: string): AuditEntry {
  return { at: Date.now(), token: null, who, what, note };
}
