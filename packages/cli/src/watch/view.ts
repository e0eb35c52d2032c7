/**
 * `spool watch` on a terminal: the list, updated by events, and the keys that act on a session. Attaching leaves the list, runs
 * `attach` unchanged, and returns to the list.
 */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import { DEFAULT_DETACH_KEYS } from '@spool/vt';
import { failureOf } from '../command-line/failure.ts';
import { Keyboard } from '../attach/keyboard.ts';
import { recentSessions } from '../output/recent-sessions.ts';
import { endSentence, isEnded } from '../output/session-words.ts';
import { flush, wantsColour, writeOut } from '../output/stdio.ts';
import { Terminal } from '../attach/terminal.ts';
import { edited, type Key, WatchKeys } from './keys.ts';
import { WatchLines } from './lines.ts';
import { LIST_EVENTS, type Row, sinceOf, WatchList } from './list.ts';
import { type Drawn, WatchPainter } from './painter.ts';
import { bodyRows, type Footer, pictureOf } from './picture.ts';
import { SCREEN_BEGIN, SCREEN_END, WatchScreen } from './screen.ts';
import { WatchSelection } from './selection.ts';

const LEAVING_MS_MAX = 300;

/** Decides what a key does. */
type Mode =
  | { readonly type: 'list' }
  | { readonly type: 'help' }
  | { readonly type: 'filter' }
  | { readonly type: 'prompt'; readonly row: Row; readonly text: string }
  | { readonly type: 'stop'; readonly row: Row };

export interface WatchViewOptions {
  readonly showsEnded: boolean;
}

/** Resolves when the user quits; rejects when the connection to the daemon is lost. */
export async function watchSessions(client: Client, options: WatchViewOptions): Promise<void> {
  // Each attach adds an error listener that stays: see Keyboard.
  process.stdin.setMaxListeners(0);
  const leaving = new AbortController();
  const view = new WatchView(client, options);
  const failed = view.follow(leaving.signal);
  failed.catch(() => {}); // handled by show()
  try {
    for (let row = await view.show(failed); row !== null; row = await view.show(failed)) await view.attach(row);
  } finally {
    leaving.abort();
  }
}

class WatchView {
  readonly #client: Client;
  readonly #list = new WatchList();
  readonly #selection = new WatchSelection();
  readonly #lines: WatchLines;
  readonly #screen = new WatchScreen();
  readonly #keys = new WatchKeys();
  readonly #isColoured = wantsColour(1);
  /** Set while the list is on the terminal. */
  #stage: {
    readonly terminal: Terminal;
    readonly painter: WatchPainter;
    readonly choose: (row: Row | null) => void;
  } | null = null;
  #mode: Mode = { type: 'list' };
  #message: Footer | null = null;
  #filter = '';
  #showsEnded: boolean;

  constructor(client: Client, { showsEnded }: WatchViewOptions) {
    this.#client = client;
    this.#showsEnded = showsEnded;
    this.#lines = new WatchLines(client, () => this.#changed());
  }

  /** Keeps the list up to date, also while another screen is on the terminal. Rejects when the events end. */
  async follow(signal: AbortSignal): Promise<never> {
    // Subscribe before listing, so that no event in between is missed.
    const events = this.#client.events({ types: LIST_EVENTS, signal });
    this.#list.replace(await recentSessions(this.#client));
    this.#changed();
    for await (const event of events) {
      if (event.type === 'events-missed') this.#list.replace(await recentSessions(this.#client));
      else {
        const change = this.#list.handle(event);
        if (!change) continue;
        if (change.row === null) this.#lines.forget(change.id);
      }
      this.#changed();
    }
    throw new SpoolError('CONNECTION_LOST');
  }

  /** Shows the list until the user chooses a session. Null: the user quits. */
  async show(failed: Promise<never>): Promise<Row | null> {
    const { promise, resolve: choose } = Promise.withResolvers<Row | null>();
    using terminal = new Terminal();
    terminal.undo = () => Buffer.from(SCREEN_END);
    terminal.enter();
    using painter = new WatchPainter(() => this.#draw(terminal));
    using _keyboard = new Keyboard([], {
      take: (piece) => {
        if (piece.type === 'keys') for (const key of this.#keys.read(piece.bytes)) this.#press(key);
      },
      onGone: () => choose(null),
    });
    const begin = (): void => {
      this.#screen.forget();
      void writeOut(SCREEN_BEGIN);
      painter.changed();
    };
    terminal.onContinue = () => void terminal.outputReady.then(begin);
    process.stdout.on('resize', painter.changed);
    try {
      await terminal.outputReady;
      begin();
      this.#stage = { terminal, painter, choose };
      return await Promise.race([promise, failed]);
    } finally {
      this.#stage = null;
      process.stdout.off('resize', painter.changed);
      this.#lines.follow([]);
      await flush(1, LEAVING_MS_MAX);
    }
  }

  async attach(row: Row): Promise<void> {
    const { attachTerminal } = await import('../attach/terminal-attach.ts');
    try {
      await attachTerminal(this.#client, row, {
        calledAs: row.name || row.id,
        isReadOnly: false,
        takeover: false,
        showsNotices: true,
        detachKeys: DEFAULT_DETACH_KEYS,
      });
    } catch (error) {
      if (!SpoolError.is(error)) throw error;
      this.#tell(failureOf(error).message, true);
    }
  }

  // Keys.

  #press(key: Key): void {
    if (this.#stage === null) return; // typed ahead, while the list is not shown
    this.#message = null;
    this.#changed();
    if (key.type === 'key' && key.name === 'suspend') {
      process.kill(process.pid, 'SIGTSTP');
      return;
    }
    if (key.type === 'key' && key.name === 'redraw') return this.#screen.forget();
    const mode = this.#mode;
    switch (mode.type) {
      case 'list':
        return key.type === 'key' ? this.#pressNamed(key.name) : this.#pressLetter(key.isPaste ? '' : key.text);
      case 'help':
        this.#mode = { type: 'list' };
        return;
      case 'filter': {
        const { text, end } = edited(this.#filter, key);
        this.#filter = text;
        if (end !== null) this.#mode = { type: 'list' };
        return;
      }
      case 'prompt': {
        const { text, end } = edited(mode.text, key);
        this.#mode = end === null ? { ...mode, text } : { type: 'list' };
        if (end === 'done' && text.trim() !== '') void this.#prompt(mode.row, text);
        return;
      }
      case 'stop':
        this.#mode = { type: 'list' };
        if (key.type === 'text' && key.text.toLowerCase() === 'y') void this.#stop(mode.row);
        return;
    }
  }

  #pressNamed(name: Extract<Key, { type: 'key' }>['name']): void {
    const page = Math.max(1, bodyRows(this.#stage!.terminal.size()) - 1);
    switch (name) {
      case 'up':
        return this.#selection.move(this.#shown(), -1);
      case 'down':
        return this.#selection.move(this.#shown(), 1);
      case 'page-up':
        return this.#selection.move(this.#shown(), -page);
      case 'page-down':
        return this.#selection.move(this.#shown(), page);
      case 'home':
        return this.#selection.move(this.#shown(), -Infinity);
      case 'end':
        return this.#selection.move(this.#shown(), Infinity);
      case 'enter':
        return this.#enter();
      case 'escape':
        this.#filter = '';
        return;
      case 'interrupt':
        return this.#choose(null);
    }
  }

  #pressLetter(letter: string): void {
    const row = this.#selected();
    switch (letter) {
      case 'k':
        return this.#pressNamed('up');
      case 'j':
        return this.#pressNamed('down');
      case 'g':
        return this.#pressNamed('home');
      case 'G':
        return this.#pressNamed('end');
      case 'a':
        this.#showsEnded = !this.#showsEnded;
        return;
      case '/':
        this.#mode = { type: 'filter' };
        return;
      case '?':
        this.#mode = { type: 'help' };
        return;
      case 'q':
        return this.#choose(null);
      case 'p':
        if (row && this.#isRunning(row)) this.#mode = { type: 'prompt', row, text: '' };
        return;
      case 's':
        if (row && this.#isRunning(row)) this.#mode = { type: 'stop', row };
        return;
    }
  }

  #enter(): void {
    const row = this.#selected();
    if (!row || !this.#isRunning(row)) return;
    // The session would show itself recursively without end.
    if (process.env.SPOOL_SESSION === row.id) return this.#tell('this terminal is inside that session', true);
    if (row.size === null)
      return this.#tell(`${row.name} has no terminal; follow its output with: spool logs -f ${row.name}`, true);
    this.#choose(row);
  }

  /** Keys typed after this are not for the list. */
  #choose(row: Row | null): void {
    this.#stage?.choose(row);
    this.#stage = null;
  }

  #isRunning(row: Row): boolean {
    if (!isEnded(row)) return true;
    this.#tell(`${endSentence(row)}; spool logs ${row.name} prints its output`, false);
    return false;
  }

  async #prompt({ id, name }: Row, text: string): Promise<void> {
    this.#tell(`typing into ${name} …`, false);
    try {
      const { isConfirmed, reaction } = await this.#client.prompt(id, text);
      if (isConfirmed) this.#tell(`${name} accepted it${reaction === null ? '' : ` (${reaction})`}`, false);
      else this.#tell(`typed into ${name}, but no reaction seen`, true);
    } catch (error) {
      if (SpoolError.is(error, 'INPUT_BLOCKED')) this.#tell(`${name} is asking; press enter to see it`, true);
      else this.#tell(`${name}: ${failureOf(error).message}`, true);
    }
  }

  async #stop({ id, name }: Row): Promise<void> {
    this.#tell(`stopping ${name} …`, false);
    try {
      this.#tell(endSentence(await this.#client.stop(id)), false);
    } catch (error) {
      this.#tell(`${name}: ${failureOf(error).message}`, true);
    }
  }

  // What is shown.

  #tell(text: string, isTrouble: boolean): void {
    this.#message = { type: 'message', text, isTrouble };
    this.#changed();
  }

  #changed(): void {
    this.#stage?.painter.changed();
  }

  #shown(): readonly Row[] {
    return this.#list.shown({ filter: this.#filter, showsEnded: this.#showsEnded });
  }

  #selected(): Row | undefined {
    return this.#selection.id === null ? undefined : this.#list.get(this.#selection.id);
  }

  #draw(terminal: Terminal): Drawn {
    const now = Date.now();
    const size = terminal.size();
    const rows = this.#shown();
    const fit = bodyRows(size);
    this.#selection.settle(rows, fit);
    const { id: selected, top } = this.#selection;
    const inView = rows.slice(top, top + fit);
    this.#lines.follow(inView);
    const picture = {
      rows,
      counts: this.#list.counts(),
      selected,
      top,
      lastLines: this.#lines.all,
      filter: this.#mode.type === 'filter' ? '' : this.#filter,
      showsEnded: this.#showsEnded,
      showsHelp: this.#mode.type === 'help',
      footer: this.#footer(),
      now,
    };
    const text = this.#screen.paint(pictureOf(picture, size, this.#isColoured), size);
    return {
      agesMs: inView.map((row) => now - sinceOf(row)),
      written: text === '' ? Promise.resolve() : writeOut(text),
    };
  }

  #footer(): Footer {
    switch (this.#mode.type) {
      case 'filter':
        return { type: 'input', label: 'filter:', text: this.#filter };
      case 'prompt':
        return { type: 'input', label: `prompt for ${this.#mode.row.name}:`, text: this.#mode.text };
      case 'stop':
        return { type: 'question', text: `Stop ${this.#mode.row.name}? Press y to stop it, any other key to cancel` };
      default:
        return this.#message ?? { type: 'keys' };
    }
  }
}
