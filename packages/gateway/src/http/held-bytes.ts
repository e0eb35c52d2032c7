/**
 * Counts the bytes that the gateway holds for clients that do not finish sending, or do not read: parts of messages and bodies,
 * and unread answers. All connections of one token count together, and so do those of all unauthenticated clients. Beyond the
 * limit the connection that holds the most is closed, so that clients that send and read normally stay. Keeps DOOR-26.
 */
import { mayDo } from '@spool/protocol';
import type { Principal } from '../auth/principal.ts';

const MIB = 1024 * 1024;

/** The limit for all clients without a token together: a login has some hundred bytes. */
export const STRANGERS_BYTES_MAX = 4 * MIB;
/** The limit for one token below an operator, or for all browsers of one share link: thirty pages of output at once. */
export const VIEWER_BYTES_MAX = 32 * MIB;
/** The limit for an operator, who may upload files of 10 MiB. */
export const OPERATOR_BYTES_MAX = 128 * MIB;

/** The bytes that one connection holds. */
export interface HeldAccount {
  /** Sets the present number of bytes. */
  set(bytes: number): void;
  end(): void;
}

interface ByteHolder {
  bytes: number;
  readonly close: () => void;
}

interface Owner {
  bytes: number;
  readonly holders: Set<ByteHolder>;
}

export class HeldBytes {
  readonly #owners = new Map<string, Owner>();

  /**
   * Opens an account; `close` is called when this connection holds the most and the limit is exceeded. Null means an
   * unauthenticated client.
   */
  open(principal: Principal | null, close: () => void): HeldAccount {
    const whose = principal === null ? '' : (principal.parent ?? principal.id);
    const most = mostOf(principal);
    const owner = this.#owners.get(whose) ?? { bytes: 0, holders: new Set() };
    this.#owners.set(whose, owner);
    const holder: ByteHolder = { bytes: 0, close };
    owner.holders.add(holder);
    const end = (one: ByteHolder): boolean => {
      if (!owner.holders.delete(one)) return false;
      owner.bytes -= one.bytes;
      if (owner.holders.size === 0) this.#owners.delete(whose);
      return true;
    };
    return {
      set: (bytes) => {
        if (!owner.holders.has(holder)) return;
        owner.bytes += bytes - holder.bytes;
        holder.bytes = bytes;
        while (owner.bytes > most) {
          const largest = [...owner.holders].reduce((a, b) => (b.bytes > a.bytes ? b : a));
          if (end(largest)) largest.close();
        }
      },
      end: () => void end(holder),
    };
  }
}

function mostOf(principal: Principal | null): number {
  if (principal === null) return STRANGERS_BYTES_MAX;
  return mayDo(principal.role, 'operator') ? OPERATOR_BYTES_MAX : VIEWER_BYTES_MAX;
}
