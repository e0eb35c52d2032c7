/**
 * Plays a session back in a window of this terminal, with keys: seek, pause, speed. Keeps PAST-6.
 *
 * A seek asks the daemon for the screen at that time, which it makes from the nearest keyframe, and continues from there, without
 * playing from the beginning. The window shows sessions of any size. The position is in the last row, if the picture leaves that
 * row free, or for a moment after a key.
 */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { Keyboard } from '../tui/keyboard.ts';
import type { UserTerminal } from '../tui/terminal.ts';
import type { LogPlace } from '../command-line/log-place.ts';
import { writeOut } from '../output/stdio.ts';
import { timedOutput, type TimedItem } from '../session-output/timed-output.ts';
import { WindowView } from '../window/window-view.ts';
import type { ReplayClock } from './replay-clock.ts';
import { type ReplayKey, ReplayKeys } from './replay-keys.ts';
import { replayLine } from './replay-line.ts';

/** The time for which the line is shown after a key, if it covers a row of the picture. */
const LINE_MS = 3000;
const LINE_EVERY_MS = 500;
/** The last picture is shown, however briefly. */
const LAST_FRAME_MS = 100;
/** The longest pause after the key `s`. */
const SKIP_MS = 500;
const SPEED_MAX = 64;
const SPEED_MIN = 1 / 8;
/** The time after an event in which `p` seeks to the event before it, instead of to the same event again. */
const PREVIOUS_MS = 1500;

export interface PlayerOptions {
  readonly client: Client;
  readonly session: SessionInfo;
  readonly terminal: UserTerminal;
  readonly clock: ReplayClock;
  readonly leaving: AbortController;
}

export class ReplayPlayer {
  readonly #options: PlayerOptions;
  readonly #idleLimitMs: number;
  #view!: WindowView;
  #size = { cols: 80, rows: 24 };
  #seekTo: number | null = null;
  #isAtEnd = false;
  #hasKeys = false;
  #wakeAtEnd: () => void = () => {};
  #lineUntil = 0;
  #from = 0;
  #to = 0;
  #stops: readonly number[] | null = null;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#idleLimitMs = options.clock.pace.idleLimitMs;
  }

  /** Plays the session. Returns true if it was played to its end. */
  async play(at: LogPlace | undefined): Promise<boolean> {
    const { client, session, terminal, leaving } = this.#options;
    const first = await client.screen(session.id, { at: { offset: session.firstOffset }, format: 'snapshot' });
    this.#from = session.firstOffset === 0 ? session.startedAt : first.at;
    this.#to = Math.max(this.#from, session.endedAt ?? session.lastOutputAt ?? this.#from);
    this.#size = first;
    this.#view = new WindowView({
      session: this.#size,
      own: terminal.size(),
      isTyping: false,
      write: (bytes) => writeOut(bytes, 1, leaving.signal),
      line: (cols) => this.#line(cols),
    });
    terminal.undo = () => this.#view.close();
    terminal.onContinue = terminal.onResize = () => this.#fit();
    const ticking = setInterval(() => this.#view.refresh(), LINE_EVERY_MS);
    using _keys = this.#readKeys();
    try {
      let begin = at === undefined ? { offset: session.firstOffset, at: this.#from } : await this.#show(at);
      if (at === undefined) this.#view.snapshot(this.#size, Buffer.from(first.content, 'base64'));
      while (!leaving.signal.aborted) {
        await this.#playFrom(begin);
        if (leaving.signal.aborted) return false;
        if (this.#seekTo === null && !(await this.#stay())) return true;
        if (leaving.signal.aborted) return false;
        begin = await this.#goTo(this.#seekTo!);
      }
      return false;
    } finally {
      clearInterval(ticking);
    }
  }

  /** Returns the last screen as text, for the user's scrollback. */
  get lastText(): string {
    return this.#view.text;
  }

  async #playFrom(begin: { readonly offset: number; readonly at: number }): Promise<void> {
    const { client, session, clock } = this.#options;
    for await (const item of timedOutput(client, session, begin)) {
      // A key may have been pressed while nothing waited for the clock.
      if (this.#seekTo !== null || !(await clock.until(item.at)) || this.#options.leaving.signal.aborted) return;
      this.#apply(item);
    }
    if (this.#seekTo === null) await clock.until(Math.max(clock.position, this.#to));
  }

  #apply(item: TimedItem): void {
    if (item.type === 'output') this.#view.feed(item.bytes);
    if (item.type !== 'resize') return;
    this.#size = { cols: item.cols, rows: item.rows };
    this.#fit();
  }

  /** Waits at the end, where a user who has pressed a key can go back; otherwise the replay is over. */
  async #stay(): Promise<boolean> {
    if (!this.#hasKeys) {
      await new Promise((resolve) => setTimeout(resolve, LAST_FRAME_MS));
      return false;
    }
    this.#isAtEnd = true;
    this.#showLine();
    await new Promise<void>((resolve) => (this.#wakeAtEnd = resolve));
    this.#isAtEnd = false;
    return true;
  }

  async #goTo(time: number): Promise<{ offset: number; at: number }> {
    this.#seekTo = null;
    const place = await this.#show({ time });
    // More keys may have come meanwhile.
    if (this.#seekTo === null) this.#options.clock.jump(time);
    return { ...place, at: time };
  }

  async #show(at: LogPlace): Promise<{ offset: number; at: number }> {
    const { client, session, clock } = this.#options;
    const then = await client.screen(session.id, { at, format: 'snapshot' });
    this.#size = { cols: then.cols, rows: then.rows };
    this.#view.snapshot(this.#size, Buffer.from(then.content, 'base64'));
    const place = { offset: then.offset, at: then.at || this.#from };
    clock.jump(place.at);
    return place;
  }

  #readKeys(): Keyboard {
    const { leaving } = this.#options;
    const keys = new ReplayKeys();
    const keyboard = new Keyboard([], {
      take: (piece) => {
        if (piece.type === 'mouse') this.#view.mouse(piece.report);
        if (piece.type === 'keys') for (const key of keys.keysIn(piece.bytes)) this.#press(key);
      },
      onGone: () => {
        leaving.abort();
        this.#wakeAtEnd();
      },
    });
    keyboard.isWindowed = true;
    return keyboard;
  }

  #press(key: ReplayKey): void {
    const { clock, leaving } = this.#options;
    this.#hasKeys = true;
    this.#showLine();
    const now = this.#seekTo ?? clock.position;
    switch (key.do) {
      case 'quit':
        leaving.abort();
        return this.#wakeAtEnd();
      case 'pause':
        return this.#isAtEnd ? this.#seek(this.#from) : clock.togglePause();
      case 'faster':
        clock.pace = { ...clock.pace, speed: Math.min(SPEED_MAX, clock.pace.speed * 2) };
        return;
      case 'slower':
        clock.pace = { ...clock.pace, speed: Math.max(SPEED_MIN, clock.pace.speed / 2) };
        return;
      case 'skip':
        clock.pace = { ...clock.pace, idleLimitMs: this.#isSkipping ? this.#idleLimitMs : SKIP_MS };
        return;
      case 'seek':
        return this.#seek(now + key.byMs);
      case 'place':
        return this.#seek(this.#from + (this.#to - this.#from) * key.part);
      case 'next':
      case 'previous':
        return void this.#step(key.do === 'next', now);
      case 'pan':
        return this.#view.pan(key.key);
      case 'help':
        return;
    }
  }

  get #isSkipping(): boolean {
    return this.#options.clock.pace.idleLimitMs === SKIP_MS;
  }

  #seek(time: number): void {
    this.#seekTo = Math.round(Math.min(Math.max(time, this.#from), this.#to));
    this.#options.clock.jump(this.#seekTo);
    this.#wakeAtEnd();
  }

  /** Seeks to the next or previous event: a status, a milestone, a command. */
  async #step(isNext: boolean, from: number): Promise<void> {
    const { client, session } = this.#options;
    this.#stops ??= (await client.explain(session.id)).history.map(({ at }) => at).sort((one, other) => one - other);
    const to = isNext ? this.#stops.find((at) => at > from + 1) : this.#stops.findLast((at) => at < from - PREVIOUS_MS);
    this.#seek(to ?? (isNext ? this.#to : this.#from));
  }

  #fit(): void {
    this.#view.fit(this.#size, this.#options.terminal.size());
  }

  #showLine(): void {
    this.#lineUntil = performance.now() + LINE_MS;
    this.#view.refresh();
  }

  /** Returns the line; null if the row belongs to the picture. */
  #line(cols: number): string | null {
    const { clock, terminal } = this.#options;
    const hasRoom = terminal.size().rows > this.#size.rows;
    const isShown = hasRoom || clock.isPaused || this.#isAtEnd || performance.now() < this.#lineUntil;
    if (!isShown) return null;
    const facts = {
      position: this.#seekTo ?? clock.position,
      from: this.#from,
      to: this.#to,
      speed: clock.pace.speed,
      isPaused: clock.isPaused,
      isSkipping: this.#isSkipping,
      isAtEnd: this.#isAtEnd,
    };
    return replayLine(facts, cols, Date.now());
  }
}
