/**
 * The first messages of a link over NATS, in both directions. Each side signs a fresh key, and everything that the subject says, with its
 * nkey; the keys of the link follow from both. Keeps NODE-53.
 */
import type { Duplex } from 'node:stream';
import { SpoolError } from '@spool/protocol';
import { z } from 'zod';
import { KINDS, MessageDuplex, type MessageDuplexOptions } from './message-duplex.ts';
import { isSignedByNKey, type NKey } from './nkey.ts';
import { LinkSecret } from './sealing.ts';

/** The versions of these messages that this program speaks. */
const VERSIONS = { min: 1, max: 1 } as const;

const text = z.string().max(200);
const opening = z.object({
  versions: z.object({ min: z.int(), max: z.int() }),
  key: text,
  name: z.string().regex(/^[^\u0000-\u001f\u007f-\u009f]{1,100}$/u),
  signature: text,
});
const acceptance = z.object({ version: z.int(), key: text, signature: text });

/** The parts of the subject of a link. */
export interface LinkPlace {
  readonly fleet: string;
  readonly node: string;
  readonly role: string;
  readonly user: string;
  readonly link: string;
}

/** The connection, as a link uses it. */
type LinkWay = Pick<MessageDuplexOptions, 'send' | 'windows'>;

/** A link that was opened here, and is not answered yet. */
export class OpeningLink {
  readonly #place: LinkPlace;
  readonly #secret = new LinkSecret();
  readonly #said: string;
  readonly message: Buffer;

  /** `name` is how this machine is called in the audit log of the node. */
  constructor(place: LinkPlace, name: string, key: NKey) {
    this.#place = place;
    this.#said = openingText(place, VERSIONS, this.#secret.public, name);
    const body = { versions: VERSIONS, key: this.#secret.public, name, signature: key.sign(this.#said) };
    this.message = plain(KINDS.open, body);
  }

  /** Returns the stream, once the node has answered. Throws with its refusal, or if the answer is not the node's. */
  accepted(message: Buffer, { send, windows }: LinkWay): MessageDuplex {
    if (message[0] === KINDS.refuse)
      throw new SpoolError('NOT_ALLOWED', { reason: 'the node refuses this machine, or its version' });
    const answer = message[0] === KINDS.accept ? parsed(acceptance, message) : null;
    const said = answer && acceptanceText(this.#said, answer.version, answer.key);
    if (answer === null || said === null || !isSignedByNKey(this.#place.node, said, answer.signature))
      throw new SpoolError('NOT_ALLOWED', { reason: 'the answer is not signed by the node' });
    const { up, down } = this.#secret.seals(answer.key, said);
    return new MessageDuplex({ outgoing: up, incoming: down, send, windows });
  }
}

/** Answers a link that was opened by another machine. Returns null, and a refusal if one is due, unless it is that machine. */
export function acceptLink(
  place: LinkPlace,
  message: Buffer,
  key: NKey,
  { send, windows }: LinkWay,
): { readonly duplex: Duplex & Pick<MessageDuplex, 'receive'>; readonly name: string } | null {
  const asked = message[0] === KINDS.open ? parsed(opening, message) : null;
  if (asked === null) return null;
  const said = openingText(place, asked.versions, asked.key, asked.name);
  if (!isSignedByNKey(place.user, said, asked.signature)) return null;
  const version = Math.min(asked.versions.max, VERSIONS.max);
  if (version < Math.max(asked.versions.min, VERSIONS.min)) {
    send(refusal());
    return null;
  }
  const secret = new LinkSecret();
  const accepted = acceptanceText(said, version, secret.public);
  const { up, down } = secret.seals(asked.key, accepted);
  send(plain(KINDS.accept, { version, key: secret.public, signature: key.sign(accepted) }));
  return { duplex: new MessageDuplex({ outgoing: down, incoming: up, send, windows }), name: asked.name };
}

export function refusal(): Buffer {
  return plain(KINDS.refuse, {});
}

function openingText(
  { fleet, node, role, user, link }: LinkPlace,
  { min, max }: { readonly min: number; readonly max: number },
  key: string,
  name: string,
): string {
  return ['spool nats', fleet, node, role, user, link, min, max, key, name].join('\n');
}

function acceptanceText(opened: string, version: number, key: string): string {
  return [opened, 'accepted', version, key].join('\n');
}

function plain(kind: number, body: object): Buffer {
  return Buffer.concat([Buffer.from([kind]), Buffer.from(JSON.stringify(body))]);
}

function parsed<T>(schema: z.ZodType<T>, message: Buffer): T | null {
  try {
    return schema.safeParse(JSON.parse(message.subarray(1).toString())).data ?? null;
  } catch {
    return null; // not JSON
  }
}
