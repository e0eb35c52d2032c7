/**
 * Lets plain keys and plain output pass between terminal and daemon in the addon (attach-pump.c), while JavaScript has nothing to
 * decide. A key then costs the client a few µs instead of a hundred (decision 185).
 *
 * Keeps ATT-14: the pump writes exactly the bytes that the JavaScript code would have written, and the attachment learns of them
 * before its next action. A pump belongs to one connection; while there is none, Node reads the terminal.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { Attachment, Bypass, BypassedBytes } from '@spool/client';
import { type BytePump, native, PUMP, PUMP_ARMED, PUMP_STATE } from '@spool/native';
import { DRAWING_BYTES, type ViewerFilter } from '@spool/vt';
import type { Keyboard } from '../tui/keyboard.ts';

/** The same size as for any client's socket: room for a few whole frames. */
const DATA_BYTES = 256 * 1024;
const KEYS_BYTES = 64 * 1024;
/** The limit of unconfirmed input when the session does not read; the rest waits in the attachment. */
const KEPT_BYTES = 4096;
const FRAME_BYTES = 2048;

export interface AttachPumpOptions {
  readonly keyboard: Keyboard;
  /** Writes the bytes that the terminal did not take at once. */
  write(bytes: Uint8Array): void;
  /** Called after output has passed, with its last byte. */
  onShown(lastByte: number): void;
  /** Called when something was handed to JavaScript; the pump may take over again later. */
  onBusy(): void;
}

export class AttachPump implements Disposable {
  readonly #options: AttachPumpOptions;
  readonly #terminal: number;
  readonly #state = new Float64Array(PUMP_STATE.length);
  readonly #keys = new Uint8Array(KEYS_BYTES);
  readonly #data = new Uint8Array(DATA_BYTES);
  readonly #kept = new Uint8Array(KEPT_BYTES);
  readonly #frame = new Uint8Array(FRAME_BYTES);
  #open: {
    readonly transport: Bypass['transport'];
    readonly socket: number;
    readonly pump: BytePump;
    readonly giveBack: () => void;
  } | null = null;
  #isResting = false;
  #passedFrom = 0;

  private constructor(terminal: number, options: AttachPumpOptions) {
    this.#terminal = terminal;
    this.#options = options;
  }

  /** Returns null if this terminal cannot be opened again, or its input and output are two terminals. */
  static create(options: AttachPumpOptions): AttachPump | null {
    const [input, output] = [fstatSync(0), fstatSync(1)];
    if (input.rdev !== output.rdev || input.ino !== output.ino) return null;
    try {
      // It uses a separate file description, because blocking is a property of the description, and the shell shares the inherited
      // one.
      const { O_RDWR, O_NONBLOCK, O_NOCTTY } = constants;
      return new AttachPump(openSync('/proc/self/fd/0', O_RDWR | O_NONBLOCK | O_NOCTTY), options);
    } catch {
      return null; // the terminal of another user (su), or no /proc
    }
  }

  /** Passes plain bytes from now on, until other bytes come or the attachment is used. */
  rest(attachment: Attachment, filter: ViewerFilter): void {
    const bypass = attachment.bypass(() => this.#end());
    if (bypass === null) return;
    const { transport, channel, outputAt, outputMax, mayType, typedAt, typedConfirmed, inputPrefix } = bypass;
    if (this.#open?.transport !== transport && !this.#connect(transport, filter)) return;
    const state = this.#state;
    this.#open!.pump.setPrefix(inputPrefix);
    this.#isResting = true;
    this.#passedFrom = outputAt;
    state[PUMP_STATE.channel] = channel;
    state[PUMP_STATE.outputAt] = outputAt;
    state[PUMP_STATE.outputMax] = outputMax;
    state[PUMP_STATE.typedAt] = typedAt;
    state[PUMP_STATE.typedConfirmed] = typedConfirmed;
    state[PUMP_STATE.keptBytes] = 0;
    state[PUMP_STATE.armed] = PUMP_ARMED.output | (mayType && this.#options.keyboard.isAtRest ? PUMP_ARMED.keys : 0);
  }

  /** Handles the end of the link: Node reads the terminal again. */
  disconnect(): void {
    if (this.#close()) this.#options.keyboard.isReadElsewhere = false;
  }

  /** Stops without letting Node read the terminal again, because later input is for the next program. */
  [Symbol.dispose](): void {
    this.#close();
    closeSync(this.#terminal);
  }

  #close(): boolean {
    const open = this.#open;
    if (open === null) return false;
    this.#open = null;
    this.#state[PUMP_STATE.armed] = 0;
    open.pump.close();
    native.close(open.socket);
    open.giveBack();
    return true;
  }

  #connect(transport: Bypass['transport'], filter: ViewerFilter): boolean {
    const { keyboard } = this.#options;
    this.disconnect();
    let socket = -1;
    const giveBack = transport.readElsewhere?.((fd) => (socket = native.duplicate(fd)));
    if (giveBack === undefined) return false;
    if (socket < 0) {
      giveBack();
      return false;
    }
    const pump = native.createAttachPump(
      {
        terminal: this.#terminal,
        socket,
        state: this.#state,
        keys: this.#keys,
        data: this.#data,
        kept: this.#kept,
        frame: this.#frame,
        isTyped: keyboard.isPlain,
        isShown: filter.isPlain,
        drawing: DRAWING_BYTES,
      },
      (what, from, to) => this.#take(what, from, to),
    );
    keyboard.isReadElsewhere = true;
    this.#open = { transport, socket, pump, giveBack };
    return true;
  }

  #take(what: number, from: number, to: number): void {
    const { keyboard, write, onBusy } = this.#options;
    const { transport } = this.#open!;
    switch (what) {
      case PUMP.keys:
        keyboard.feed(this.#keys.subarray(from, to));
        break;
      case PUMP.keysEnd:
        keyboard.gone();
        break;
      case PUMP.data:
        transport.onData(this.#data.subarray(from, to));
        break;
      case PUMP.dataEnd:
        this.disconnect();
        transport.close();
        break;
      case PUMP.terminalFull:
        write(this.#data.slice(from, to));
        break;
      case PUMP.socketFull:
        transport.send(this.#frame.slice(from, to));
        break;
    }
    onBusy();
  }

  #end(): BypassedBytes | null {
    const state = this.#state;
    if (!this.#isResting) return null;
    this.#isResting = false;
    state[PUMP_STATE.armed] = 0;
    const outputTo = state[PUMP_STATE.outputAt]!;
    const keptBytes = state[PUMP_STATE.keptBytes]!;
    if (outputTo > this.#passedFrom) this.#options.onShown(state[PUMP_STATE.lastByte]!);
    return {
      outputTo,
      typedAt: state[PUMP_STATE.typedAt]! - keptBytes,
      typed: this.#kept.subarray(0, keptBytes),
      typedConfirmed: state[PUMP_STATE.typedConfirmed]!,
    };
  }
}
