/**
 * The digest of a request: the number of the request in its run, and a hash of everything that a person is shown. The number makes
 * it unique, so that an answer never reaches another request with the same id and the same content. Keeps REQ-4.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** The number of hexadecimal digits of the hash: 128 bits. */
const HASH_DIGITS = 32;

export interface RequestPrint {
  /** Hashes only the content, so that a request that the agent repeats has the same hash. */
  readonly hash: string;
  /** The length of the content as JSON, in UTF-8. */
  readonly bytes: number;
}

/** Hashes the content of a request. Members that are undefined do not count. */
export function printOf(content: unknown): RequestPrint {
  const bytes = utf8ToBytes(JSON.stringify(content));
  return { hash: bytesToHex(sha256(bytes)).slice(0, HASH_DIGITS), bytes: bytes.length };
}

export function digestOf(number: number, { hash }: RequestPrint): string {
  return `${number}-${hash}`;
}
