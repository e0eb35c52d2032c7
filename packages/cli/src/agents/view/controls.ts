/**
 * Handles the keys of an attached agent's user: they become prompts, answers and interrupts. It uses neither a terminal nor a
 * clock, so every rule of it is tested without one. Keeps SHOW-5, SHOW-6, SHOW-10, SHOW-40.
 */
import type { AgentEventItem, Decided } from '@spool/client';
import { type AgentRequestEvent, Transcript } from '@spool/render';
import { type RequestAnswer, makeChoices, editableOf, isAllowing } from './ask-choices.ts';
import { ASK_GUARD_MS } from './ask-guard.ts';
import type { Key, KeyName } from '../../tui/key-reader.ts';
import { TextInput } from '../../tui/text-input.ts';
import { type AnswerActions, giveAnswer, giveText, lostWords } from './give-answer.ts';
import type { AgentPicture, PaintedPicture } from './picture.ts';
import { RequestReading } from './request-reading.ts';

const NOTICE_MS = 6000;
const WHEEL_LINES = 3;

/** The requests to the daemon. */
interface AgentActions extends AnswerActions {
  prompt(text: string, when?: 'now'): Promise<unknown>;
  slash(name: string, args: string): Promise<unknown>;
  cancelPrompt(clientId: string): Promise<unknown>;
  interrupt(): Promise<unknown>;
  /** Returns an error as a sentence. */
  wordsOf(error: unknown): string;
}

export interface AgentControlsOptions {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly detachKey: string;
  readonly actions: AgentActions;
  readonly now: () => number;
  onChange(): void;
  onLeave(): void;
}

export class AgentControls {
  readonly transcript = new Transcript();
  readonly editor = new TextInput();
  readonly #options: AgentControlsOptions;
  readonly #reading = new RequestReading();
  readonly #sending: string[] = [];
  #scrolled = 0;
  #isFull = false;
  #isLoading = true;
  #ask: AgentRequestEvent | null = null;
  #askSince = 0;
  #isAnswering = false;
  #writing: AgentPicture['writing'] = null;
  #draft = '';
  #notice: { readonly text: string; readonly until: number } | null = null;
  #pageRows = 10;

  constructor(options: AgentControlsOptions) {
    this.#options = options;
  }

  /** Handles an item of the events log. */
  take(item: AgentEventItem): void {
    if (item.type === 'event') {
      const entry = this.transcript.take(item.event);
      if (this.#isLoading && entry?.kind === 'prompt') this.editor.remember(entry.text);
      if (item.event.kind === 'turn.ended') this.#notice = null;
      if (item.event.kind === 'command.refused' && !this.#isLoading) this.tell(item.event.message);
    } else if (item.type === 'synced') this.#isLoading = false;
    else if (item.type === 'driver-failed' && !this.#isLoading) this.tell(item.reason);
    else if (item.type === 'gap') this.tell('the oldest events were already deleted');
    if (!this.#isLoading) this.#settleAsk();
    this.#options.onChange();
  }

  tell(text: string): void {
    this.#notice = { text, until: this.#options.now() + NOTICE_MS };
    this.#options.onChange();
  }

  picture(): AgentPicture {
    const now = this.#options.now();
    if (this.#notice !== null && this.#notice.until < now) this.#notice = null;
    const { name, isReadOnly, detachKey } = this.#options;
    return {
      name,
      isReadOnly,
      detachKey,
      now,
      transcript: this.transcript,
      editor: this.editor,
      scrolled: this.#scrolled,
      ask: this.#ask,
      isAnswering: this.#isAnswering,
      writing: this.#writing,
      isFull: this.#isFull,
      readingTop: this.#reading.top,
      unconfirmed: this.#reading.unconfirmed,
      sending: this.#sending,
      notice: this.#notice?.text ?? null,
      isLoading: this.#isLoading,
    };
  }

  /** Notes that the view was drawn with this much room, scrolled as far as there is text. */
  drawn(pageRows: number, { scrolled, request }: Pick<PaintedPicture, 'scrolled' | 'request'>): void {
    this.#pageRows = Math.max(1, pageRows);
    this.#scrolled = scrolled;
    if (request !== null && request.ask === this.#ask) this.#reading.painted(request);
  }

  /** The times until which temporary notices are shown. */
  get agesMs(): readonly number[] {
    const now = this.#options.now();
    return [
      ...(this.transcript.turnSince === undefined ? [] : [now - this.transcript.turnSince]),
      ...(this.#notice === null ? [] : [0]),
    ];
  }

  press(key: Key): void {
    this.#press(key);
    this.#options.onChange();
  }

  #press(key: Key): void {
    if (key.type === 'key' && (this.#reads(key.name) || this.#view(key.name))) return;
    if (this.#options.isReadOnly || this.transcript.isEnded) {
      if (key.type === 'key' && (key.name === 'interrupt' || key.name === 'end-of-input')) this.#options.onLeave();
      return;
    }
    if (this.#isAnswering && this.#writing === null && this.#answers(key)) return;
    if (key.type === 'key' && this.#acts(key.name)) return;
    this.editor.press(key);
  }

  /** Handles keys for the request in the whole window. */
  #reads(name: KeyName): boolean {
    const reading = this.#reading;
    if (reading.top === null) {
      if (name !== 'expand' || this.#ask === null || this.#writing !== null) return false;
      reading.open();
      if (!this.#isAnswering) this.#askSince = this.#options.now();
      this.#isAnswering = true;
      return true;
    }
    switch (name) {
      case 'expand':
      case 'escape':
        reading.close();
        return true;
      case 'tab':
        reading.close();
        this.#isAnswering = false;
        return true;
      case 'up':
      case 'scroll-up':
        reading.move(name === 'up' ? -1 : -WHEEL_LINES);
        return true;
      case 'down':
      case 'scroll-down':
        reading.move(name === 'down' ? 1 : WHEEL_LINES);
        return true;
      case 'page-up':
      case 'page-down':
        reading.movePage(name === 'page-up' ? -1 : 1);
        return true;
      case 'home':
        reading.move(-Infinity);
        return true;
      case 'end':
        reading.moveToEnd();
        return true;
      default:
        return false;
    }
  }

  /** Handles keys that only change the view. */
  #view(name: KeyName): boolean {
    switch (name) {
      case 'page-up':
        this.#scrolled += this.#pageRows;
        return true;
      case 'page-down':
        this.#scrolled = Math.max(0, this.#scrolled - this.#pageRows);
        return true;
      case 'scroll-up':
        this.#scrolled += WHEEL_LINES;
        return true;
      case 'scroll-down':
        this.#scrolled = Math.max(0, this.#scrolled - WHEEL_LINES);
        return true;
      case 'expand':
        this.#isFull = !this.#isFull;
        return true;
      case 'escape':
        if (this.#scrolled === 0) return false;
        this.#scrolled = 0;
        return true;
      default:
        return false;
    }
  }

  /** Handles a key for the request. Returns true if it was for the request. */
  #answers(key: Key): boolean {
    if (key.type === 'text') {
      const isOpen = this.#reading.top !== null;
      // A user who was typing when the request arrived continues to type.
      if (key.isPaste || this.#options.now() - this.#askSince < ASK_GUARD_MS) {
        this.#isAnswering = isOpen;
        return isOpen;
      }
      this.#choose(this.#ask!, key.text);
      return true;
    }
    if (key.name !== 'tab' && key.name !== 'escape') return key.name === 'enter';
    this.#isAnswering = false;
    return true;
  }

  /** Answers, unless that would allow something that was never on the screen: that needs a second key. */
  #choose(ask: AgentRequestEvent, text: string): void {
    const reading = this.#reading;
    const now = this.#options.now();
    const confirmed = reading.confirmed(text, now);
    const choice = confirmed ?? makeChoices(ask).find(({ key }) => key === text.toLowerCase());
    if (!choice) {
      reading.release();
      return this.tell('press one of the keys shown, or Tab to write a prompt');
    }
    if (confirmed === null && isAllowing(choice.answer) && reading.unseenOf(choice) > 0) {
      reading.holdBack(choice, now);
      return;
    }
    reading.release();
    this.#answer(ask, choice.answer);
  }

  #answer(ask: AgentRequestEvent, answer: RequestAnswer): void {
    if (answer.type !== 'write') return this.#decide(giveAnswer(this.#options.actions, ask, answer));
    this.#reading.close();
    this.#writing = answer.what;
    this.#draft = this.editor.text;
    this.editor.set(answer.what === 'input' ? (editableOf(ask)?.text ?? '') : '');
  }

  /** The text of the editor is the message, the input or the answer. */
  #written(): void {
    const ask = this.#ask;
    const text = this.editor.text;
    const what = this.#writing;
    this.#endWriting();
    if (!ask || what === null) return;
    const decided = giveText(this.#options.actions, ask, what, text);
    if (decided !== null) this.#decide(decided);
  }

  #endWriting(): void {
    this.#writing = null;
    this.editor.set(this.#draft);
    this.#draft = '';
  }

  #decide(decided: Promise<Decided>): void {
    // Until the event with the outcome arrives, further keys are not for this request.
    this.#askSince = this.#options.now();
    decided.then(
      (outcome) => {
        const lost = lostWords(outcome);
        if (lost !== null) this.tell(lost);
      },
      (error: unknown) => this.tell(this.#options.actions.wordsOf(error)),
    );
  }

  /** Handles a key that does more than editing. Returns true if it handled the key. */
  #acts(name: KeyName): boolean {
    switch (name) {
      case 'enter':
        this.#enter();
        return true;
      case 'send-now':
        this.#send('now');
        return true;
      case 'tab':
        this.#isAnswering = this.#ask !== null;
        return true;
      case 'escape':
        if (this.#writing !== null) this.#endWriting();
        else this.#interrupt();
        return true;
      case 'interrupt':
        if (this.#writing !== null) this.#endWriting();
        else if (this.editor.isEmpty) this.#interrupt();
        else this.editor.take();
        return true;
      case 'end-of-input':
        if (this.editor.isEmpty) this.#options.onLeave();
        else this.editor.press({ type: 'key', name: 'delete' });
        return true;
      case 'take-back':
        this.#takeBack();
        return true;
      default:
        return false;
    }
  }

  #enter(): void {
    const { editor } = this;
    if (this.#writing !== null) return this.#written();
    if (editor.text.endsWith('\\') && editor.shown(Infinity).row === editor.text.split('\n').length - 1) {
      editor.set(`${editor.text.slice(0, -1)}\n`);
      return;
    }
    this.#send();
  }

  #send(when?: 'now'): void {
    if (this.editor.text.trim() === '') return;
    const text = this.editor.take();
    const { actions } = this.#options;
    const slash = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text);
    const isSlash =
      slash !== null && this.transcript.commands.some((command) => command.replace(/^\//, '') === slash[1]);
    this.#sending.push(text);
    this.#scrolled = 0;
    const sent = isSlash ? actions.slash(slash[1]!, slash[2] ?? '') : actions.prompt(text, when);
    sent.then(
      () => this.#isSent(text),
      (error: unknown) => {
        this.#isSent(text);
        this.tell(actions.wordsOf(error));
        if (this.editor.isEmpty) this.editor.set(text);
      },
    );
  }

  #isSent(text: string): void {
    const at = this.#sending.indexOf(text);
    if (at !== -1) this.#sending.splice(at, 1);
    this.#options.onChange();
  }

  /** Brings the last waiting prompt back into the editor. */
  #takeBack(): void {
    const last = this.transcript.queue.at(-1);
    if (!last) return this.tell('no prompt waits');
    if (!this.editor.isEmpty) return this.tell('send or clear the text first');
    const { actions } = this.#options;
    actions.cancelPrompt(last.clientId).then(
      () => {
        if (this.editor.isEmpty) this.editor.set(last.text);
        this.#options.onChange();
      },
      (error: unknown) => this.tell(actions.wordsOf(error)),
    );
  }

  #interrupt(): void {
    const { actions, detachKey } = this.#options;
    if (!this.transcript.isWorking)
      return this.tell(`nothing runs; ${detachKey === '' ? 'Ctrl-D' : detachKey} detaches and leaves it running`);
    this.tell('interrupting…');
    actions.interrupt().catch((error: unknown) => this.tell(actions.wordsOf(error)));
  }

  /** Adjusts to a new first request, or to none. */
  #settleAsk(): void {
    const ask = this.transcript.pending[0] ?? null;
    if (ask === this.#ask) return;
    this.#reading.restart();
    if (this.#writing !== null) {
      this.editor.remember(this.editor.text);
      this.#endWriting();
      this.tell('it was decided in the meantime');
    }
    this.#ask = ask;
    this.#askSince = this.#options.now();
    this.#isAnswering = ask !== null && this.editor.isEmpty;
  }
}
