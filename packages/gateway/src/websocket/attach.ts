/**
 * Implements `spool.attach.v1`: one session as JSON messages, for clients without the SDK. `/ws?session=ID[&cols=80&rows=24][&node=NODE]`.
 *
 * The gateway sends: `init` (the screen, base64, and its modes), `data`, `mode_changed`, `resized`, `session_ended`, `error`. The
 * client sends: `input` (text, or base64 with `"encoding": "base64"`), `resize`, `detach`. Keeps REM-8.
 */
import type { Attachment, AttachItem } from '@spool/client';
import { FRAME_ROLES, mayDo, SpoolError, toWireError } from '@spool/protocol';
import type { SubprotocolHandler } from './websockets.ts';
import { parseMessage, SubprotocolClient } from './subprotocol-client.ts';

interface Modes {
  readonly appCursorKeys: boolean;
  readonly bracketedPasteMode: boolean;
}

export const speakAttach: SubprotocolHandler = (socket, principal, gate, request) => {
  const speaker = new SubprotocolClient(socket, principal, gate, request);
  const session = speaker.query.get('session') ?? '';
  const cols = Number(speaker.query.get('cols'));
  const rows = Number(speaker.query.get('rows'));
  const isReadOnly = !mayDo(principal.role, FRAME_ROLES.input);
  const attachment = speaker.client.attach(session, {
    isReadOnly,
    ...(isSize(cols, rows) && !isReadOnly ? { size: { cols, rows } } : {}),
    signal: speaker.signal,
  });
  const screen = new AttachedScreen(speaker);
  void speaker.speak(async () => {
    for await (const item of attachment) if (await screen.take(item)) return;
  });
  speaker.listen(async (data) => {
    const message = parseMessage(data);
    switch (message.type) {
      case 'input':
        if (isReadOnly) throw new SpoolError('NOT_ALLOWED', { reason: 'the token may only look' });
        return await attachment.type(screen.keys(bytesOf(message)));
      case 'resize':
        return resize(attachment, message);
      case 'detach':
        await attachment.settled(); // earlier input has not been sent yet
        return speaker.close();
      default:
        throw new SpoolError('REQUEST_INVALID', { reason: 'unknown type; use input, resize or detach' });
    }
  });
};

/** Turns the items of an attachment into messages. */
class AttachedScreen {
  readonly #speaker: SubprotocolClient;
  #modes: Modes = { appCursorKeys: false, bracketedPasteMode: false };
  /** The first screen, which waits for its modes. */
  #first: Uint8Array | null = null;
  #isShown = false;

  constructor(speaker: SubprotocolClient) {
    this.#speaker = speaker;
  }

  /** Handles an item; resolves with true after the last one. */
  async take(item: AttachItem): Promise<boolean> {
    switch (item.type) {
      case 'snapshot':
        if (this.#isShown) await this.#data(item.bytes);
        else this.#first = item.bytes;
        break;
      case 'modes':
        await this.#changeModes({ appCursorKeys: item.applicationCursor, bracketedPasteMode: item.bracketedPaste });
        break;
      case 'output':
        await this.#show();
        await this.#data(item.bytes);
        break;
      case 'resized':
        await this.#speaker.sendJson({ type: 'resized', rows: item.rows, cols: item.cols });
        break;
      case 'input-refused':
        await this.#speaker.sendJson({ type: 'error', ...toWireError(new SpoolError(item.code)) });
        break;
      case 'exit':
        await this.#show();
        await this.#speaker.sendJson({ type: 'session_ended', exit_code: item.exitCode, signal: item.signal });
        return true;
      default:
        break;
    }
    return false;
  }

  /** Translates arrow keys for the present mode of the program: clients of this dialect always send `ESC [ A`. */
  keys(bytes: Uint8Array): Uint8Array {
    if (!this.#modes.appCursorKeys || bytes.length !== 3 || bytes[0] !== 0x1b || bytes[1] !== 0x5b) return bytes;
    return 'ABCDHF'.includes(String.fromCharCode(bytes[2]!)) ? Uint8Array.of(0x1b, 0x4f, bytes[2]!) : bytes;
  }

  async #changeModes(modes: Modes): Promise<void> {
    const isSame =
      modes.appCursorKeys === this.#modes.appCursorKeys && modes.bracketedPasteMode === this.#modes.bracketedPasteMode;
    this.#modes = modes;
    if (!this.#isShown) await this.#show();
    else if (!isSame) await this.#speaker.sendJson({ type: 'mode_changed', ...modes });
  }

  async #show(): Promise<void> {
    if (this.#isShown || this.#first === null) return;
    this.#isShown = true;
    await this.#speaker.sendJson({ type: 'init', data: base64(this.#first), ...this.#modes });
    this.#first = null;
  }

  async #data(bytes: Uint8Array): Promise<void> {
    await this.#speaker.sendJson({ type: 'data', data: base64(bytes) });
  }
}

function resize(attachment: Attachment, { cols, rows }: Readonly<Record<string, unknown>>): void {
  if (!isSize(Number(cols), Number(rows)))
    throw new SpoolError('REQUEST_INVALID', { reason: 'a size has cols and rows from 1 to 1000' });
  attachment.view({ size: { cols: Number(cols), rows: Number(rows) } });
}

function isSize(cols: number, rows: number): boolean {
  return [cols, rows].every((each) => Number.isInteger(each) && each >= 1 && each <= 1000);
}

function bytesOf({ data, encoding }: Readonly<Record<string, unknown>>): Uint8Array {
  if (typeof data !== 'string') throw new SpoolError('REQUEST_INVALID', { reason: 'data must be text' });
  return Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
