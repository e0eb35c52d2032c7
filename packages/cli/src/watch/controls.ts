/** The state of `spool watch`: the list, what is selected, what a key means, and what is shown of it. Keeps WATCH-2, WATCH-3 and WATCH-4. */
import type { Client } from '@spool/client/node';
import { type Size, SpoolError } from '@spool/protocol';
import type { MouseReport } from '@spool/vt';
import { sessionOrder } from '../listing/order.ts';
import { recentSessions } from '../output/recent-sessions.ts';
import { endSentence, isEnded } from '../output/session-words.ts';
import { wantsColour, writeOut } from '../output/stdio.ts';
import {
  answerSession,
  promptSession,
  removeSession,
  renameSession,
  startSession,
  stopSession,
  type Told,
} from './actions.ts';
import type { Footer } from './footer.ts';
import { edited, type Key, type KeyName } from './keys.ts';
import { type Layout, layoutOf } from './layout.ts';
import { WatchLines } from './lines.ts';
import { LIST_EVENTS, type Row, sinceOf, WatchList } from './list.ts';
import { footerOf, type Mode, optionFor, panelOf, typeInto } from './modes.ts';
import type { Drawn } from './painter.ts';
import { pictureOf } from './picture.ts';
import { Preview } from './preview.ts';
import { WatchScreen } from './screen.ts';
import { WatchSelection } from './selection.ts';

const ORDERS = ['need', 'name', 'age', 'active'].map((word) => ({ word, compare: sessionOrder(word) }));
const WHEEL = 64;
const LEFT_BUTTON = 0;

export class WatchControls implements Disposable {
  readonly #client: Client;
  readonly #list = new WatchList();
  readonly #selection = new WatchSelection();
  readonly #lines: WatchLines;
  readonly #preview: Preview;
  readonly #screen = new WatchScreen();
  readonly #isColoured = wantsColour(1);
  #mode: Mode = { type: 'list' };
  #message: Told | null = null;
  #filter = '';
  /** The index of the order. */
  #order = 0;
  #showsEnded: boolean;
  /** Null: if there is room. */
  #showsPreview: boolean | null = null;
  #size: Size = { cols: 80, rows: 24 };
  readonly #listed = Promise.withResolvers<void>();
  /** Something has changed that is shown. */
  onChange: () => void = () => {};

  constructor(client: Client, { showsEnded }: { readonly showsEnded: boolean }) {
    this.#client = client;
    this.#showsEnded = showsEnded;
    this.#lines = new WatchLines(client, () => this.onChange());
    this.#preview = new Preview(client, () => this.onChange());
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
    this.#preview[Symbol.dispose]();
  }

  /** Resolves when the sessions are known: before that, a key would move through an empty list. */
  get listed(): Promise<void> {
    return this.#listed.promise;
  }

  /** Keeps the list up to date, also while another screen is on the terminal. Rejects when the events end. */
  async follow(signal: AbortSignal): Promise<never> {
    // Subscribe before listing, so that no event in between is missed.
    const events = this.#client.events({ types: LIST_EVENTS, signal });
    this.#list.replace(await recentSessions(this.#client));
    this.#listed.resolve();
    this.onChange();
    for await (const event of events) {
      if (event.type === 'events-missed') this.#list.replace(await recentSessions(this.#client));
      else {
        const change = this.#list.handle(event);
        if (!change) continue;
        if (change.row === null) this.#lines.forget(change.id);
      }
      this.onChange();
    }
    throw new SpoolError('CONNECTION_LOST');
  }

  /** The list is not on the terminal: nothing needs to be followed. */
  rest(): void {
    this.#lines.follow([]);
    this.#preview.follow(null);
  }

  /** The content of the terminal is unknown. */
  forgetScreen(): void {
    this.#screen.forget();
  }

  tell(text: string, isTrouble: boolean): void {
    this.#message = { text, isTrouble };
    this.onChange();
  }

  // Keys.

  /** The session to attach to; null to quit; undefined to stay. */
  press(key: Key, size: Size): Row | null | undefined {
    this.#size = size;
    this.#message = null;
    this.#settle();
    this.onChange();
    if (key.type === 'key' && key.name === 'suspend') {
      process.kill(process.pid, 'SIGTSTP');
      return undefined;
    }
    if (key.type === 'key' && key.name === 'redraw') {
      this.#screen.forget();
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
        const { text, end } = edited(this.#filter, key);
        this.#filter = text;
        if (end !== null) this.#mode = { type: 'list' };
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
        return this.#answer(mode, key);
    }
  }

  /** A click selects, the wheel moves: the selection, or the preview if it is over it. */
  mouse({ button, row, isRelease }: MouseReport, size: Size): void {
    this.#size = size;
    this.#settle();
    if (isRelease || this.#mode.type !== 'list') return;
    const { head, list, preview } = this.#layout();
    const isOverPreview = preview > 0 && row > head + list;
    if ((button & WHEEL) !== 0) {
      const step = (button & 1) === 0 ? -1 : 1;
      if (isOverPreview) this.#preview.pan(step, 0);
      else this.#selection.move(this.#shown(), step);
    } else if ((button & 3) === LEFT_BUTTON && row >= head && row < head + list) {
      this.#selection.select(this.#shown(), this.#selection.top + row - head);
    }
    this.onChange();
  }

  #pressNamed(name: KeyName): Row | null | undefined {
    const page = Math.max(1, this.#layout().list - 1);
    switch (name) {
      case 'up':
        this.#selection.move(this.#shown(), -1);
        return undefined;
      case 'down':
        this.#selection.move(this.#shown(), 1);
        return undefined;
      case 'page-up':
        this.#selection.move(this.#shown(), -page);
        return undefined;
      case 'page-down':
        this.#selection.move(this.#shown(), page);
        return undefined;
      case 'home':
        this.#selection.move(this.#shown(), -Infinity);
        return undefined;
      case 'end':
        this.#selection.move(this.#shown(), Infinity);
        return undefined;
      case 'left':
        this.#preview.pan(0, -1);
        return undefined;
      case 'right':
        this.#preview.pan(0, 1);
        return undefined;
      case 'pan-up':
        this.#preview.pan(-1, 0);
        return undefined;
      case 'pan-down':
        this.#preview.pan(1, 0);
        return undefined;
      case 'enter':
        return this.#attachable();
      case 'escape':
        this.#filter = '';
        this.#preview.followCursor();
        return undefined;
      case 'interrupt':
        return null;
      default:
        return undefined;
    }
  }

  #pressLetter(letter: string): Row | null | undefined {
    switch (letter) {
      case 'k':
        return this.#pressNamed('up');
      case 'j':
        return this.#pressNamed('down');
      case 'g':
        return this.#pressNamed('home');
      case 'G':
        return this.#pressNamed('end');
      case 'q':
        return null;
      case 'a':
        this.#showsEnded = !this.#showsEnded;
        return undefined;
      case 'o':
        this.#order = (this.#order + 1) % ORDERS.length;
        return undefined;
      case 'v':
        this.#showsPreview = this.#layout().preview === 0;
        return undefined;
      case '/':
        this.#mode = { type: 'filter' };
        return undefined;
      case '?':
        this.#mode = { type: 'help' };
        return undefined;
      case 'n':
        this.#mode = { type: 'line', label: 'command:', text: '', done: (line) => void this.#start(line) };
        return undefined;
      default:
        this.#pressForRow(letter);
        return undefined;
    }
  }

  #pressForRow(letter: string): void {
    const row = this.#selected();
    if (!row) return;
    const { id, name } = row;
    switch (letter) {
      case ' ':
        return this.#ask(row);
      case 'p':
        if (!this.#isRunning(row)) return;
        this.#mode = {
          type: 'line',
          label: `prompt for ${name}:`,
          text: '',
          done: (text) => void this.#act(`typing into ${name} …`, promptSession(this.#client, row, text)),
        };
        return;
      case 'r':
        this.#mode = {
          type: 'line',
          label: 'new name:',
          text: name,
          done: (text) => void this.#rename(row, text.trim()),
        };
        return;
      case 's':
        if (!this.#isRunning(row)) return;
        this.#mode = {
          type: 'confirm',
          question: `Stop ${name}?`,
          yes: () => void this.#act(`stopping ${name} …`, stopSession(this.#client, row)),
        };
        return;
      case 'x':
        if (!isEnded(row)) return this.tell(`${name} is running; press s to stop it first`, true);
        this.#mode = {
          type: 'confirm',
          question: `Remove ${name} (${id}) and all its output?`,
          yes: () => void this.#act(`removing ${name} …`, removeSession(this.#client, row)),
        };
    }
  }

  #attachable(): Row | undefined {
    const row = this.#selected();
    if (!row || !this.#isRunning(row)) return undefined;
    // The session would show itself recursively without end.
    if (process.env.SPOOL_SESSION === row.id) this.tell('this terminal is inside that session', true);
    else if (row.size === null)
      this.tell(`${row.name} has no terminal; follow its output with: spool logs -f ${row.name}`, true);
    else return row;
    return undefined;
  }

  #isRunning(row: Row): boolean {
    if (!isEnded(row)) return true;
    this.tell(`${endSentence(row)}; spool logs ${row.name} prints its output`, false);
    return false;
  }

  // Answering.

  #ask(row: Row): void {
    if (!this.#isRunning(row)) return;
    const { question, state } = row.status;
    if (state !== 'blocked') return this.tell(`${row.name} is not asking anything`, false);
    if (!question || !question.options.some(({ key }) => key !== null))
      return this.tell(`the answers of ${row.name} could not be read; press enter to answer there`, true);
    this.#mode = { type: 'answer', row, question };
  }

  #answer({ row, question }: Extract<Mode, { type: 'answer' }>, key: Key): undefined {
    const option = optionFor(question, key);
    const isLeaving = key.type === 'key' && (key.name === 'escape' || key.name === 'interrupt');
    if (isLeaving) this.#mode = { type: 'list' };
    if (!option) return;
    this.#mode = { type: 'list' };
    void this.#act(`answering ${row.name} …`, answerSession(this.#client, row, option));
  }

  async #act(doing: string, done: Promise<Told>): Promise<void> {
    this.tell(doing, false);
    const { text, isTrouble } = await done;
    this.tell(text, isTrouble);
  }

  async #rename(row: Row, name: string): Promise<void> {
    if (name === row.name) return;
    const { told, session } = await renameSession(this.#client, row, name);
    if (session) this.#list.update(session);
    this.tell(told.text, told.isTrouble);
  }

  async #start(line: string): Promise<void> {
    const { told, id } = await startSession(this.#client, line, this.#size);
    if (id !== null) this.#selection.choose(id);
    this.tell(told.text, told.isTrouble);
  }

  // What is shown.

  draw(size: Size): Drawn {
    const now = Date.now();
    this.#size = size;
    this.#settle();
    const rows = this.#shown();
    const layout = this.#layout();
    const { id: selected, top } = this.#selection;
    const inView = rows.slice(top, top + layout.list);
    const isHelp = this.#mode.type === 'help';
    this.#lines.follow(inView);
    const hasPreview = layout.preview > 0 && !isHelp;
    this.#preview.follow(layout.preview > 0 ? (this.#selected() ?? null) : null);
    const target = { top: layout.head + layout.list + 1, left: 0, rows: layout.preview, cols: size.cols };
    if (hasPreview) this.#preview.fit(target);
    const picture = {
      rows,
      counts: this.#list.counts(),
      selected,
      top,
      lastLines: this.#lines.all,
      filter: this.#mode.type === 'filter' ? '' : this.#filter,
      order: this.#order === 0 ? null : ORDERS[this.#order]!.word,
      showsEnded: this.#showsEnded,
      showsHelp: isHelp,
      layout,
      previewTitle: hasPreview ? this.#preview.titleIn(target) : '',
      panel: panelOf(this.#mode),
      footer: this.#footer(),
      now,
    };
    const lines = pictureOf(picture, size, this.#isColoured);
    const text = this.#screen.paint(lines, size, (isFresh) => (hasPreview ? this.#preview.paint(target, isFresh) : ''));
    return {
      agesMs: inView.map((row) => now - sinceOf(row)),
      written: text === '' ? Promise.resolve() : writeOut(text),
    };
  }

  #footer(): Footer {
    if (this.#message) return { type: 'message', ...this.#message };
    return (
      footerOf(this.#mode, this.#filter) ?? { type: 'keys', isAsking: this.#selected()?.status.state === 'blocked' }
    );
  }

  #layout(): Layout {
    const wish = { rows: this.#shown().length, preview: this.#showsPreview, panel: panelOf(this.#mode).length };
    return layoutOf(this.#size, wish);
  }

  #shown(): readonly Row[] {
    return this.#list.shown({
      filter: this.#filter,
      showsEnded: this.#showsEnded,
      order: ORDERS[this.#order]!.compare,
    });
  }

  #selected(): Row | undefined {
    return this.#selection.id === null ? undefined : this.#list.get(this.#selection.id);
  }

  /** The list may have changed since the last key. A question that is gone is not answered. */
  #settle(): void {
    const { type } = this.#mode;
    if (type === 'answer') {
      const { row, question } = this.#mode;
      const current = this.#list.get(row.id);
      if (current?.status.state !== 'blocked' || current.status.question?.text !== question.text) {
        this.#mode = { type: 'list' };
        this.#message = { text: `the question of ${row.name} has changed or is gone`, isTrouble: false };
      }
    }
    this.#selection.settle(this.#shown(), this.#layout().list);
  }
}
