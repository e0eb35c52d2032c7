/** The handlers of the requests about gateway and tokens. */
import type { DoorRequests, Requests } from '@spool/protocol';
import type { Keeper } from '../keeper.ts';
import type { Connection } from './connection.ts';

type Handler<K extends keyof DoorRequests> = (
  keeper: Keeper,
  ask: Requests[K]['ask'],
  connection: Connection,
  channel: number,
) => Requests[K]['answer'] | Promise<Requests[K]['answer']> | undefined;

export const DOOR_HANDLERS: { readonly [K in keyof DoorRequests]: Handler<K> } = {
  async gateway({ gateway }, { action, options }) {
    if (action === 'start') return { gateway: await gateway.start(options) };
    const found = gateway.info;
    if (action === 'stop') gateway.stop();
    return { gateway: found };
  },

  serveGateway({ gateway }, ask, connection, channel) {
    const forget = gateway.serve(ask, () => {
      connection.waits.delete(channel);
      connection.reply(channel, {});
    });
    if (ask.info) connection.waits.set(channel, forget);
    return undefined;
  },

  createToken: ({ tokens }, ask) => tokens.create(ask),

  listTokens: ({ tokens }) => ({ tokens: tokens.list() }),

  revokeToken: ({ tokens }, { token }) => ({ info: tokens.revoke(token) }),

  redeemToken: ({ tokens }, ask) => tokens.redeem(ask),
};
