/**
 * The first messages on a link between two machines, before it carries streams: each proves with its key that it is the machine that
 * the other one has pinned. They are text messages of a WebSocket. Keeps NODE-4.
 */
import { randomBytes } from 'node:crypto';
import { SpoolError, VERSION } from '@spool/protocol';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { isSignedBy, type MachineKey } from './machine-key.ts';

/** The versions of the link that this program speaks; both sides use the highest that both have. */
const LINK_VERSIONS = { min: 1, max: 1 } as const;

const CHALLENGE_BYTES = 32;
const HANDSHAKE_WITHIN_MS = 10_000;

const text = z.string().max(200);
const versions = z.object({ min: z.int(), max: z.int() });
const challengeMessage = z.object({ versions, challenge: text });
const proofMessage = z.object({ version: z.int(), publicKey: text, nonce: text, spool: text, signature: text });
const answerMessage = z.union([z.object({ signature: text }), z.object({ refused: text })]);

export interface LinkedNode<T> {
  readonly record: T;
  /** The version of Spool there. */
  readonly version: string;
}

/** Lets a node in that has dialled this machine. `find` returns the record of a public key. */
export async function admitNode<T extends { readonly publicKey: string }>(
  socket: WebSocket,
  key: MachineKey,
  find: (publicKey: string) => T | null,
): Promise<LinkedNode<T>> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  send(socket, { versions: LINK_VERSIONS, challenge });
  const { publicKey, nonce, spool, signature, version } = proofMessage.parse(await nextMessage(socket));
  if (version < LINK_VERSIONS.min || version > LINK_VERSIONS.max) throw refuse(socket, 'VERSION_UNSUPPORTED');
  const record = find(publicKey);
  const isRight = isSignedBy(publicKey, proofText('node', [challenge, nonce, key.publicKey]), signature);
  if (record === null || !isRight) throw refuse(socket, 'NODE_UNKNOWN');
  send(socket, { signature: key.sign(proofText('primary', [nonce, challenge, publicKey])) });
  return { record, version: spool };
}

/** Proves to a machine that was dialled which node this is, and checks that the machine is the one that was joined. */
export async function introduceNode(socket: WebSocket, key: MachineKey, primary: string): Promise<void> {
  const { challenge, versions: theirs } = challengeMessage.parse(await nextMessage(socket));
  const version = Math.min(theirs.max, LINK_VERSIONS.max);
  if (version < Math.max(theirs.min, LINK_VERSIONS.min)) throw new SpoolError('VERSION_UNSUPPORTED');
  const nonce = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const signature = key.sign(proofText('node', [challenge, nonce, primary]));
  send(socket, { version, publicKey: key.publicKey, nonce, spool: VERSION, signature });
  const answer = answerMessage.parse(await nextMessage(socket));
  if ('refused' in answer) throw new SpoolError('NODE_UNKNOWN', { reason: 'the other machine has removed this node' });
  if (!isSignedBy(primary, proofText('primary', [nonce, challenge, key.publicKey]), answer.signature))
    throw new SpoolError('NOT_ALLOWED', { reason: 'the machine at this address has another key than the one joined' });
}

/** Returns the text that is signed: the side is part of it, so that no proof of one side can be used by the other. */
function proofText(side: 'node' | 'primary', parts: readonly string[]): string {
  return ['spool link 1', side, ...parts].join('\n');
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}

function refuse(socket: WebSocket, code: 'NODE_UNKNOWN' | 'VERSION_UNSUPPORTED'): SpoolError {
  send(socket, { refused: code });
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
