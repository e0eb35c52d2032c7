/** The smaller client, for programs that send one request and end: see `RequestClient`. For Spool's own command line. */
import { RequestClient } from '../request-client.ts';
import { type ConnectOptions, openHere } from './connect.ts';

export type { ConnectOptions, RequestClient };
export type { Transport } from '../link/runtime.ts';

/** A client of the daemon on this machine that has answered. */
export async function connectForRequests(options: ConnectOptions): Promise<RequestClient> {
  return await openHere(RequestClient, options);
}
