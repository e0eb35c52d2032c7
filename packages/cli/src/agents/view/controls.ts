/**
 * What an attached agent's user does: keys become prompts, answers and interrupts. It knows no terminal and no clock of its
 * own, so every rule of it is tested without one. Keeps SHOW-5, SHOW-6.
 */
import type { AgentEventItem, Decided } from '@spool/client';
import { type Asked, Transcript, visibleTitle } from '@spool/render';
import { type Answer, answerFor, ASK_GUARD_MS, editableOf } from './ask-panel.ts';
import { PromptEditor } from './editor.ts';
import type { AgentKey, AgentKeyName } from './keys.ts';
import type { AgentPicture } from './picture.ts';

const NOTICE_MS = 6000;
const WHEEL_LINES = 3;

/** What the daemon is asked to do. */
export interface AgentActions {
  prompt(text: string, when?: 'now'): Promise<unknown>;
  slash(name: string, args: string): Promise<unknown>;
  cancelPrompt(clientId: string): Promise<unknown>;
  interrupt(): Promise<unknown>;
  approve(request: string, options: { readonly option?: string; readonly input?: unknown }): Promise<Decided>;
  deny(request: string, options: { readonly option?: string; readonly message?: string }): Promise<Decided>;
  answer(request: string, answers: Readonly<Record<string, unknown>>): Promise<Decided>;
  /** An error as a sentence. */
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
  readonly editor = new PromptEditor();
  readonly #options: AgentControlsOptions;
  readonly #sending: string[] = [];
  #scrolled = 0;
  #isFull = false;
  #isLoading = true;
  #ask: Asked | null = null;
  #askSince = 0;
  #isAnswering = false;
  #writing: AgentPicture['writing'] = null;
  #draft = '';
  #notice: { readonly text: string; readonly until: number } | null = null;
  #pageRows = 10;

  constructor(options: AgentControlsOptions) {
    this.#options = options;
  }

  /** Takes what the events log says. */
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
      sending: this.#sending,
      notice: this.#notice?.text ?? null,
      isLoading: this.#isLoading,
    };
  }

  /** The view was drawn with this much room, scrolled as far as there is text. */
  drawn(pageRows: number, scrolled: number): void {
    this.#pageRows = Math.max(1, pageRows);
    this.#scrolled = scrolled;
  }

  /** Times until which something is shown that goes away by itself. */
  get agesMs(): readonly number[] {
    const now = this.#options.now();
    return [
      ...(this.transcript.turnSince === undefined ? [] : [now - this.transcript.turnSince]),
      ...(this.#notice === null ? [] : [0]),
    ];
  }

  press(key: AgentKey): void {
    this.#press(key);
    this.#options.onChange();
  }

  #press(key: AgentKey): void {
    if (key.type === 'key' && this.#view(key.name)) return;
    if (this.#options.isReadOnly || this.transcript.isEnded) {
      if (key.type === 'key' && (key.name === 'interrupt' || key.name === 'end-of-input')) this.#options.onLeave();
      return;
    }
    if (this.#isAnswering && this.#writing === null && this.#answers(key)) return;
    if (key.type === 'key' && this.#acts(key.name)) return;
    this.editor.press(key);
  }

  /** Keys that only change what is shown. */
  #view(name: AgentKeyName): boolean {
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

  /** True when the key was for the ask. */
  #answers(key: AgentKey): boolean {
    if (key.type === 'text') {
      // A user who was typing when it came goes on typing.
      if (key.isPaste || this.#options.now() - this.#askSince < ASK_GUARD_MS) {
        this.#isAnswering = false;
        return false;
      }
      const answer = answerFor(this.#ask!, key.text);
      if (answer) this.#answer(this.#ask!, answer);
      else this.tell('press one of the keys shown, or Tab to write a prompt');
      return true;
    }
    if (key.name !== 'tab' && key.name !== 'escape') return key.name === 'enter';
    this.#isAnswering = false;
    return true;
  }

  #answer(ask: Asked, answer: Answer): void {
    const { actions } = this.#options;
    const { request } = ask;
    switch (answer.type) {
      case 'option': {
        const { option } = answer;
        return this.#decide(
          answer.behavior === 'allow' ? actions.approve(request, { option }) : actions.deny(request, { option }),
        );
      }
      case 'allow':
        return this.#decide(actions.approve(request, {}));
      case 'deny':
        return this.#decide(actions.deny(request, {}));
      case 'choice':
        return this.#decide(actions.answer(request, answersOf(ask, answer.label)));
      case 'write':
        this.#writing = answer.what;
        this.#draft = this.editor.text;
        this.editor.set(answer.what === 'input' ? (editableOf(ask)?.text ?? '') : '');
    }
  }

  /** The text of the editor is the message, the input or the answer. */
  #written(): void {
    const { actions } = this.#options;
    const ask = this.#ask;
    const text = this.editor.text;
    const what = this.#writing;
    this.#endWriting();
    if (!ask || what === null) return;
    if (what === 'message') return this.#decide(actions.deny(ask.request, text === '' ? {} : { message: text }));
    if (what === 'answer') return this.#decide(actions.answer(ask.request, answersOf(ask, text)));
    const editable = editableOf(ask);
    if (!editable || ask.kind !== 'permission.requested') return;
    const input = { ...(ask.input as Record<string, unknown>), [editable.key]: text };
    return this.#decide(actions.approve(ask.request, { input }));
  }

  #endWriting(): void {
    this.#writing = null;
    this.editor.set(this.#draft);
    this.#draft = '';
  }

  #decide(decided: Promise<Decided>): void {
    // Until the event comes that says what became of it, further keys are not for this ask.
    this.#askSince = this.#options.now();
    decided.then(
      ({ isOurs, outcome, reason }) => {
        if (isOurs) return;
        const who = outcome?.who === undefined ? '' : ` by ${visibleTitle(outcome.who, 60)}`;
        this.tell(
          outcome === null ? (reason ?? 'the question is gone') : `it was already decided${who}: ${outcome.decision}`,
        );
      },
      (error: unknown) => this.tell(this.#options.actions.wordsOf(error)),
    );
  }

  /** True when the key does something besides editing. */
  #acts(name: AgentKeyName): boolean {
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

  /** The last prompt that waits comes back into the editor. */
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

  /** Another ask is the first, or none waits any more. */
  #settleAsk(): void {
    const ask = this.transcript.pending[0] ?? null;
    if (ask?.request === this.#ask?.request) return;
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

/** One text answers each question. */
function answersOf(ask: Asked, text: string): Record<string, unknown> {
  if (ask.kind !== 'question.asked') return {};
  return Object.fromEntries(ask.questions.map(({ id, multi }) => [id, multi === true ? [text] : text]));
}
