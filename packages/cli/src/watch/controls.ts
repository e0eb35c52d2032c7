/** Decides the meaning of a key or the mouse in `spool watch`, by mode, and draws the last line. Keeps WATCH-1. */
import type { Client } from '@spool/client/node';
import type { Size } from '@spool/protocol';
import type { Line } from '@spool/render/lines';
import type { MouseReport } from '@spool/vt';
import type { ViewPicture } from '../tui/terminal-view.ts';
import type { Key, KeyName } from '../tui/key-reader.ts';
import { TextInput } from '../tui/text-input.ts';
import type { ActionResult } from './actions.ts';
import type { AgentRequest } from './agent-request.ts';
import { WatchBoard } from './board.ts';
import type { Footer } from './footer.ts';
import type { Row } from './list.ts';
import { messageLines } from './message.ts';
import { footerOf, isLeaving, type Mode, panelOf, typeInto, typeText } from './modes.ts';
import { SessionKeys } from './session-keys.ts';

const WHEEL = 64;
const LEFT_BUTTON = 0;

/** The distance that the selection moves, if a page has this many rows. */
const MOVES: Partial<Readonly<Record<KeyName, (page: number) => number>>> = {
  up: () => -1,
  down: () => 1,
  'page-up': (page) => -page,
  'page-down': (page) => page,
  home: () => -Infinity,
  end: () => Infinity,
};

/** The distance that the preview moves. */
const PANS: Partial<Readonly<Record<KeyName, readonly [rows: number, cols: number]>>> = {
  left: [0, -1],
  right: [0, 1],
  'word-left': [0, -1],
  'word-right': [0, 1],
  'scroll-up': [-1, 0],
  'scroll-down': [1, 0],
};

const LETTERS: Readonly<Record<string, KeyName>> = { k: 'up', j: 'down', g: 'home', G: 'end', q: 'interrupt' };

export class WatchControls implements Disposable {
  readonly board: WatchBoard;
  readonly #sessionKeys: SessionKeys;
  #mode: Mode = { type: 'list' };
  #message: ActionResult | null = null;
  /** Called with a session to attach to. */
  onAttach: (row: Row) => void = () => {};
  /** Called when everything must be drawn again. */
  onRedraw: () => void = () => {};

  constructor(client: Client, options: { readonly showsEnded: boolean }) {
    this.board = new WatchBoard(client, options);
    this.#sessionKeys = new SessionKeys(client, this.board, (told) => this.tell(told), {
      show: (id, mode) => this.#show(id, mode),
      attach: (row) => {
        if (this.#mode.type !== 'reading' || this.#mode.id !== row.id) return;
        this.#mode = { type: 'list' };
        this.onAttach(row);
      },
    });
  }

  [Symbol.dispose](): void {
    this.board[Symbol.dispose]();
  }

  tell(message: ActionResult): void {
    this.#message = message;
    this.board.onChange();
  }

  /** The session to attach to; null to quit; undefined to stay. */
  press(key: Key, size: Size): Row | null | undefined {
    this.#message = null;
    this.#settle(size);
    this.board.onChange();
    if (key.type === 'key' && key.name === 'suspend') {
      process.kill(process.pid, 'SIGTSTP');
      return undefined;
    }
    if (key.type === 'key' && key.name === 'redraw') {
      this.onRedraw();
      return undefined;
    }
    const mode = this.#mode;
    switch (mode.type) {
      case 'list':
        return key.type === 'key' ? this.#pressNamed(key.name) : this.#pressLetter(key.isPaste ? '' : key.text);
      case 'help':
        this.#mode = { type: 'list' };
        return undefined;
      case 'filter': {
        if (typeText(mode.input, key) !== null) this.#mode = { type: 'list' };
        this.board.filter = mode.input.text;
        return undefined;
      }
      case 'line':
        this.#mode = typeInto(mode, key);
        return undefined;
      case 'confirm':
        this.#mode = { type: 'list' };
        if (key.type === 'text' && key.text.toLowerCase() === 'y') mode.yes();
        return undefined;
      case 'answer':
        this.#mode = this.#sessionKeys.answer(mode, key);
        return undefined;
      case 'reading':
        if (isLeaving(key)) this.#mode = { type: 'list' };
        return undefined;
      case 'request':
        this.#mode = this.#sessionKeys.answerRequest(mode, key);
        return undefined;
    }
  }

  /** Handles the mouse: a click selects; the wheel moves the preview if the pointer is over it, otherwise the selection. */
  mouse({ button, row, isRelease }: MouseReport, size: Size): void {
    this.#settle(size);
    if (isRelease || this.#mode.type !== 'list') return;
    const { head, list, preview } = this.board.layout;
    const isOverPreview = preview > 0 && row > head + list;
    if ((button & WHEEL) !== 0) {
      const step = (button & 1) === 0 ? -1 : 1;
      if (isOverPreview) this.board.preview.pan(step, 0);
      else this.board.move(step);
    } else if ((button & 3) === LEFT_BUTTON && row >= head && row < head + list) {
      this.board.selectLine(row - head);
    }
    this.board.onChange();
  }

  draw(size: Size): ViewPicture {
    this.#settle(size);
    const mode = this.#mode;
    return this.board.draw({
      panel: panelOf(mode),
      request: this.#requestLines,
      message: this.#isLong ? this.#message : null,
      showsHelp: mode.type === 'help',
      isFiltering: mode.type === 'filter',
      footer: this.#footer(),
    });
  }

  #pressNamed(name: KeyName): Row | null | undefined {
    const by = MOVES[name];
    const pan = PANS[name];
    if (by) this.board.move(by(Math.max(1, this.board.layout.list - 1)));
    else if (pan) this.board.preview.pan(...pan);
    else if (name === 'enter') return this.#sessionKeys.attachable();
    else if (name === 'interrupt') return null;
    else if (name === 'escape') {
      this.board.filter = '';
      this.board.preview.followCursor();
    }
    return undefined;
  }

  #pressLetter(letter: string): Row | null | undefined {
    const name = LETTERS[letter];
    if (name) return this.#pressNamed(name);
    switch (letter) {
      case 'a':
        this.board.showsEnded = !this.board.showsEnded;
        return undefined;
      case 'o':
        this.board.nextOrder();
        return undefined;
      case 'v':
        this.board.togglePreview();
        return undefined;
      case '/':
        this.#mode = { type: 'filter', input: new TextInput(this.board.filter) };
        return undefined;
      case '?':
        this.#mode = { type: 'help' };
        return undefined;
      default:
        this.#mode = this.#sessionKeys.press(letter) ?? this.#mode;
        return undefined;
    }
  }

  #show(id: string, mode: Mode): void {
    if (this.#mode.type !== 'reading' || this.#mode.id !== id) return;
    this.#mode = mode;
    this.board.onChange();
  }

  get #requestLines(): readonly Line[] {
    return this.#mode.type === 'request' ? this.#mode.shown.lines(this.board.size.cols) : [];
  }

  #footer(): Footer {
    if (this.#message && !this.#isLong) return { type: 'message', ...this.#message };
    const keys = { type: 'keys', isAsking: this.board.selected?.status.state === 'blocked' } as const;
    return footerOf(this.#mode) ?? keys;
  }

  /** Whether the last line would cut the message, which then gets separate lines above it. */
  get #isLong(): boolean {
    return this.#message !== null && messageLines(this.#message.text, this.board.size.cols).length > 1;
  }

  /** The list may have changed since the last key. A question that is no longer open is not answered. */
  #settle(size: Size): void {
    this.board.size = size;
    if (this.#mode.type === 'answer') {
      const { row, question } = this.#mode;
      const current = this.board.get(row.id);
      if (current?.status.state !== 'blocked' || current.status.question?.text !== question.text) {
        this.#mode = { type: 'list' };
        this.#message = { text: `the question of ${row.name} has changed or is gone`, isTrouble: false };
      }
    }
    if (this.#mode.type === 'request') this.#settleRequest(this.#mode.shown);
    const lines = this.#isLong ? messageLines(this.#message!.text, size.cols).length : 0;
    this.board.panelRows = panelOf(this.#mode).length + this.#requestLines.length + lines;
    this.board.settle();
  }

  /** A request that is no longer open, or no longer fits, is not answered. */
  #settleRequest({ row, request }: AgentRequest): void {
    const isOpen = this.board.get(row.id)?.status.requests?.some((each) => each.request === request) === true;
    const fits = this.#requestLines.length <= this.board.panelRoom;
    if (isOpen && fits) return;
    this.#mode = { type: 'list' };
    const why = isOpen ? 'does not fit here; press enter to see it' : 'is gone: it was answered or withdrawn';
    this.#message = { text: `the request of ${row.name} ${why}`, isTrouble: false };
  }
}
