/** A WebSocket by hand, for frames that no honest client sends: frames of any shape, and no reading unless requested. */
import { connect, type Socket } from 'node:net';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface RawFrame {
  readonly opcode: number;
  readonly payload?: Uint8Array;
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  /** Bits that no extension of ours uses. */
  readonly reserved?: number;
}

export function rawFrame({
  opcode,
  payload = Buffer.alloc(0),
  isFinal = true,
  isMasked = true,
  reserved = 0,
}: RawFrame): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  // A mask of zeros is valid.
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), payload]);
}

export class RawWebSocket {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on('error', () => {}).on('close', () => resolve()));
  }

  /** Opens a socket, past the handshake, and paused. */
  static async open(port: number, token: string): Promise<RawWebSocket> {
    const socket = connect(port, '127.0.0.1');
    const made = new RawWebSocket(socket);
    socket.write(
      [
        'GET /ws HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        `Authorization: Bearer ${token}`,
        '\r\n',
      ].join('\r\n'),
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    return made;
  }

  send(...frames: readonly RawFrame[]): void {
    this.socket.write(Buffer.concat(frames.map(rawFrame)));
  }

  /** Returns the code with which the other side closes; null if it only cuts the connection. */
  async closeCode(): Promise<number | null> {
    this.socket.on('data', (part: Buffer) => (this.received = Buffer.concat([this.received, part])));
    this.socket.resume();
    await this.closed;
    for (let at = 0; at + 1 < this.received.length;) {
      const length = this.received[at + 1]! & 0x7f;
      const [start, bytes] =
        length < 126
          ? [at + 2, length]
          : length === 126
            ? [at + 4, this.received.readUInt16BE(at + 2)]
            : [at + 10, Number(this.received.readBigUInt64BE(at + 2))];
      if ((this.received[at]! & 0x0f) === OPCODE.close) return bytes >= 2 ? this.received.readUInt16BE(start) : null;
      at = start + bytes;
    }
    return null;
  }
}
