/**
 * A client of a WebSocket server on a unix socket, for JSON messages: Codex's app-server accepts nothing else. Node's own client
 * cannot use a unix socket. Everything that the server sends has a limit.
 */
import { createConnection } from 'node:net';
import type { RelayLink, RelayPeer } from './relay.ts';

const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const HEAD_BYTES_MAX = 16 * 1024;
const ACCEPT_SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const FINAL = 0x80;
const MASKED = 0x80;

/** Loads the module with the first connection: most drivers do not need it, and stay small. */
const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto');

/** Resolves when the server has accepted the connection. */
export function connectWebSocket(path: string, peer: RelayPeer): Promise<RelayLink> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const key = crypto().randomBytes(16).toString('base64');
    const frames = new FrameParser();
    let head = Buffer.alloc(0);
    let isOpen = false;
    const fail = (why: string): void => {
      socket.destroy();
      if (!isOpen) return reject(new Error(why));
      isOpen = false;
      peer.onClosed(why);
    };
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('the connection has ended'));
    socket.on('connect', () =>
      socket.write(
        `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      ),
    );
    socket.on('data', (bytes: Buffer) => {
      try {
        if (isOpen) return take(bytes);
        head = Buffer.concat([head, bytes]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0 && head.length <= HEAD_BYTES_MAX) return;
        if (end < 0 || !isAccepted(head.toString('latin1', 0, end), key)) return fail('this is not a WebSocket server');
        isOpen = true;
        resolve(link);
        take(head.subarray(end + 4));
      } catch (error) {
        fail((error as Error).message);
      }
    });
    const link: RelayLink = {
      send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text))),
      close() {
        isOpen = false;
        socket.destroy();
      },
    };
    function take(bytes: Buffer): void {
      for (const { kind, payload } of frames.push(bytes)) {
        if (!isOpen) return;
        if (kind === TEXT) peer.onMessage(payload.toString('utf8'));
        else if (kind === PING) socket.write(frameOf(PONG, payload));
        else if (kind === CLOSE) fail('the server has closed the connection');
      }
    }
  });
}

function isAccepted(head: string, key: string): boolean {
  const accept = crypto().createHash('sha1').update(`${key}${ACCEPT_SALT}`).digest('base64');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(/:\s*/, 2) as [string, string?]);
  const found = headers.find(([name]) => name.toLowerCase() === 'sec-websocket-accept')?.[1];
  return /^HTTP\/1\.1 101\b/.test(status) && found?.trim() === accept;
}

/** Returns one complete frame, masked, as a client must send it. */
function frameOf(kind: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = FINAL | kind;
  head[1] = MASKED | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = crypto().randomBytes(4);
  const masked = Buffer.from(payload);
  for (let at = 0; at < masked.length; at++) masked[at]! ^= mask[at & 3]!;
  return Buffer.concat([head, mask, masked]);
}

interface WholeMessage {
  readonly kind: number;
  readonly payload: Buffer;
}

class FrameParser {
  #bytes: Buffer[] = [];
  #size = 0;
  #parts: Buffer[] = [];
  #partsSize = 0;

  /** Takes bytes, and returns the messages that are now complete. */
  push(bytes: Buffer): WholeMessage[] {
    this.#bytes.push(bytes);
    this.#size += bytes.length;
    const found: WholeMessage[] = [];
    for (let message = this.#next(); message !== null; message = this.#next())
      if (message !== 'part') found.push(message);
    return found;
  }

  #next(): WholeMessage | 'part' | null {
    if (this.#size < 2) return null;
    const [first = 0, second = 0] = this.#peek(Math.min(this.#size, 10));
    const short = second & 0x7f;
    const headSize = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#size < headSize) return null;
    const head = this.#peek(headSize);
    const length = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    if (second & MASKED || length > MESSAGE_BYTES_MAX) throw new Error('the server sent a frame that is not allowed');
    if (this.#size < headSize + length) return null;
    const payload = this.#take(headSize + length).subarray(headSize);
    const kind = first & 0x0f;
    if (kind >= CLOSE) return { kind, payload };
    if (kind !== CONTINUATION) this.#parts = [];
    if (kind !== CONTINUATION) this.#partsSize = 0;
    this.#partsSize += payload.length;
    if (this.#partsSize > MESSAGE_BYTES_MAX) throw new Error('the server sent a message that is too long');
    this.#parts.push(payload);
    if (!(first & FINAL)) return 'part';
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    return { kind: TEXT, payload: whole };
  }

  #peek(size: number): Buffer {
    if (this.#bytes[0]!.length < size) this.#bytes = [Buffer.concat(this.#bytes)];
    return this.#bytes[0]!.subarray(0, size);
  }

  #take(size: number): Buffer {
    const taken = this.#peek(size);
    this.#bytes[0] = this.#bytes[0]!.subarray(size);
    this.#size -= size;
    return taken;
  }
}
