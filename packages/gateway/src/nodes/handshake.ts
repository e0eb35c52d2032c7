/**
 * The first messages on a link between two machines, before it carries streams: each proves with its key that it is the machine
 * that the other one has pinned. The messages are text messages of a WebSocket. Keeps NODE-4, NODE-23 and NODE-60.
 */
import { randomBytes } from 'node:crypto';
import { SpoolError, VERSION } from '@spool/protocol';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { isSignedBy, type MachineKey } from './machine-key.ts';

/** The versions of the link that this program speaks; both sides use the highest that both have. */
export const LINK_VERSIONS = { min: 1, max: 1 } as const;

/** The versions of a side: those of the link that it speaks, and that of Spool. */
interface LinkSpeaker {
  readonly min: number;
  readonly max: number;
  readonly spool: string;
}

const HERE: LinkSpeaker = { ...LINK_VERSIONS, spool: VERSION };

const CHALLENGE_BYTES = 32;
const HANDSHAKE_WITHIN_MS = 10_000;

const text = z.string().max(200);
const versions = z.object({ min: z.int(), max: z.int() });
const challengeMessage = z.object({ versions, challenge: text });
const proofMessage = z.object({ version: z.int(), publicKey: text, nonce: text, spool: text, signature: text });
const answerMessage = z.union([z.object({ refused: text, signature: text.optional() }), z.object({ signature: text })]);

export interface LinkedNode<T> {
  readonly record: T;
  /** The version of Spool on the other machine. */
  readonly version: string;
}

/** The refusal of a machine that has proved its key: this machine is not a node of it, so dialling again is useless. */
export class RemovedError extends SpoolError {
  constructor() {
    super('NODE_UNKNOWN', { reason: 'the other machine has removed this node' });
  }
}

/** The refusal of a known node whose link this machine does not speak. */
export class LinkVersionError<T> extends SpoolError {
  readonly node: LinkedNode<T>;

  constructor(node: LinkedNode<T>) {
    super('VERSION_UNSUPPORTED');
    this.node = node;
  }
}

/** Returns random text that the other side has to sign. */
export function newChallenge(): string {
  return randomBytes(CHALLENGE_BYTES).toString('base64url');
}

/** Returns the text that a node signs when it is asked for its identity. */
export function helloText(challenge: string): string {
  return proofText('hello', [challenge]);
}

/** Admits a node that has dialled this machine. `find` returns the record of a public key; `here` is for tests. */
export async function admitNode<T extends { readonly publicKey: string }>(
  socket: WebSocket,
  key: MachineKey,
  find: (publicKey: string) => T | null,
  here = HERE,
): Promise<LinkedNode<T>> {
  const challenge = newChallenge();
  send(socket, { versions: { min: here.min, max: here.max }, challenge });
  const { publicKey, nonce, spool, signature, version } = proofMessage.parse(await nextMessage(socket));
  const record = find(publicKey);
  const isRight = isSignedBy(publicKey, proofText('node', [challenge, nonce, key.publicKey]), signature);
  if (!isRight) throw refuse(socket, 'NODE_UNKNOWN');
  if (record === null) {
    // The refusal is signed: a stranger at this address must not be able to end the service of a node.
    const refusal = proofText('refusal', [nonce, challenge, publicKey]);
    throw refuse(socket, 'NODE_UNKNOWN', key.sign(refusal));
  }
  if (version < here.min || version > here.max) {
    refuse(socket, 'VERSION_UNSUPPORTED');
    throw new LinkVersionError({ record, version: spool });
  }
  send(socket, { signature: key.sign(proofText('primary', [nonce, challenge, publicKey])) });
  return { record, version: spool };
}

/**
 * Proves the identity of this node to a machine that was dialled, and checks that the machine is the one that was joined. `here` is for
 * tests.
 */
export async function introduceNode(socket: WebSocket, key: MachineKey, primary: string, here = HERE): Promise<void> {
  const { challenge, versions: theirs } = challengeMessage.parse(await nextMessage(socket));
  const common = Math.min(theirs.max, here.max);
  // Without a common version the identity is proved anyway, so that the other machine knows which of its nodes it refuses.
  const version = common < Math.max(theirs.min, here.min) ? here.max : common;
  const nonce = newChallenge();
  const signature = key.sign(proofText('node', [challenge, nonce, primary]));
  send(socket, { version, publicKey: key.publicKey, nonce, spool: here.spool, signature });
  const answer = answerMessage.parse(await nextMessage(socket));
  if ('refused' in answer) {
    const refusal = proofText('refusal', [nonce, challenge, key.publicKey]);
    if (answer.refused === 'NODE_UNKNOWN' && isSignedBy(primary, refusal, answer.signature ?? ''))
      throw new RemovedError();
    if (answer.refused === 'VERSION_UNSUPPORTED') throw new SpoolError('VERSION_UNSUPPORTED');
    throw new SpoolError('NOT_ALLOWED', { reason: 'the machine at this address refuses this node' });
  }
  if (!isSignedBy(primary, proofText('primary', [nonce, challenge, key.publicKey]), answer.signature))
    throw new SpoolError('NOT_ALLOWED', { reason: 'the machine at this address has another key than the one joined' });
}

/** Returns the text that is signed: the side is part of it, so that the proof of one side cannot be used by the other. */
function proofText(side: 'node' | 'primary' | 'hello' | 'refusal', parts: readonly string[]): string {
  return ['spool link 1', side, ...parts].join('\n');
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}

function refuse(socket: WebSocket, code: 'NODE_UNKNOWN' | 'VERSION_UNSUPPORTED', signature?: string): SpoolError {
  send(socket, { refused: code, signature });
  return new SpoolError(code);
}

async function nextMessage(socket: WebSocket): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onMessage = (data: Buffer, isBinary: boolean): void => {
    if (isBinary) return reject(new SpoolError('FRAME_INVALID', { reason: 'expected a message of the handshake' }));
    try {
      resolve(JSON.parse(data.toString()));
    } catch (error) {
      reject(error);
    }
  };
  const onClose = (): void => reject(new SpoolError('CONNECTION_LOST'));
  const timer = setTimeout(onClose, HANDSHAKE_WITHIN_MS);
  socket.once('message', onMessage).once('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off('message', onMessage).off('close', onClose);
  }
}
