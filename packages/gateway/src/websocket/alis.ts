/**
 * Implements `v1.alis`, the live protocol of asciinema, for watching only: `/ws?session=ID` in the asciinema player. Keeps
 * REM-10.
 *
 * It was written from the public description and checked against the player's reader: a magic string, then one message for each
 * event. A message has a byte for its kind, numbers as LEB128, times in microseconds since the event before, and text with its
 * length. A decoder reads each message by itself, so characters must not be split.
 */
import type { AttachItem } from '@spool/client';
import type { Size } from '@spool/protocol';
import type { SubprotocolHandler } from './websockets.ts';
import { SubprotocolClient } from './subprotocol-client.ts';

const MAGIC = Buffer.from('ALiS\x01');

const KIND = { init: 0x01, endOfStream: 0x04, output: 0x6f, resize: 0x72, exit: 0x78 } as const;

/** The theme byte for none: the player uses its own colours. */
const NO_THEME = 0;

/** The exit code for a session that was lost or ended by a signal; shells report such an end as more than 128. */
const EXIT_UNKNOWN = 255;

const SIZE_DEFAULT: Size = { cols: 80, rows: 24 };

export const speakAlis: SubprotocolHandler = (socket, principal, gate, request) => {
  const speaker = new SubprotocolClient(socket, principal, gate, request);
  socket.on('message', () => {}); // messages from viewers are ignored
  void speaker.speak(async () => {
    const encoder = new AlisEncoder(() => performance.now() * 1000);
    await speaker.send(MAGIC);
    const attachment = speaker.client.attach(speaker.query.get('session') ?? '', {
      isReadOnly: true,
      followsSize: true,
      signal: speaker.signal,
    });
    for await (const item of attachment) for (const message of encoder.encode(item)) await speaker.send(message);
  });
};

export class AlisEncoder {
  readonly #nowUs: () => number;
  readonly #startedUs: number;
  readonly #decoder = new TextDecoder();
  #lastUs = 0;
  #id = 0;
  #size = SIZE_DEFAULT;
  #isShown = false;

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
    this.#startedUs = nowUs();
  }

  encode(item: AttachItem): Uint8Array[] {
    switch (item.type) {
      case 'resized': {
        this.#size = { cols: item.cols, rows: item.rows };
        return this.#isShown ? [this.#event(KIND.resize, [...leb128(item.cols), ...leb128(item.rows)])] : [];
      }
      case 'snapshot':
        return [this.#init(item.bytes)];
      case 'output': {
        const text = Buffer.from(this.#decoder.decode(item.bytes, { stream: true }));
        return text.length === 0 ? [] : [this.#event(KIND.output, [...leb128(text.length)], text)];
      }
      case 'exit':
        return [
          this.#event(KIND.exit, leb128(item.exitCode ?? EXIT_UNKNOWN)),
          Buffer.from([KIND.endOfStream, ...leb128(this.#elapsedUs())]),
        ];
      default:
        return [];
    }
  }

  /** Returns the first message, with the time since the start; a player that joins later starts there. */
  #init(screen: Uint8Array): Uint8Array {
    this.#isShown = true;
    this.#decoder.decode(); // half a character before the screen is part of the screen
    this.#lastUs = Math.round(this.#nowUs() - this.#startedUs);
    const { cols, rows } = this.#size;
    const head = [this.#id, this.#lastUs, cols, rows].flatMap(leb128);
    return Buffer.concat([Buffer.from([KIND.init, ...head, NO_THEME, ...leb128(screen.length)]), screen]);
  }

  #event(kind: number, head: readonly number[], data: Uint8Array = Buffer.alloc(0)): Uint8Array {
    return Buffer.concat([Buffer.from([kind, ...leb128(++this.#id), ...leb128(this.#elapsedUs()), ...head]), data]);
  }

  /** Returns the time since the previous event. */
  #elapsedUs(): number {
    const us = Math.max(this.#lastUs, Math.round(this.#nowUs() - this.#startedUs));
    const elapsed = us - this.#lastUs;
    this.#lastUs = us;
    return elapsed;
  }
}

/** Encodes a number in groups of seven bits, the lowest first. */
export function leb128(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low + 128 : low);
  } while (rest > 0);
  return bytes;
}
