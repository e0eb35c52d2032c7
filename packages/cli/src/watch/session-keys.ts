/**
 * The keys of `spool watch` that do something to a session: start, prompt, rename, stop, remove, answer, attach. Each reports its
 * outcome. Keeps WATCH-3 and WATCH-4.
 */
import { isAskedByAgent } from '@spool/protocol';
import type { Client } from '@spool/client/node';
import { failureOf } from '../command-line/failure.ts';
import { endSentence, isEnded } from '../output/session-words.ts';
import { ASK_GUARD_MS } from '../agents/view/ask-guard.ts';
import type { Key } from '../tui/key-reader.ts';
import { TextInput } from '../tui/text-input.ts';
import {
  answerSession,
  promptSession,
  removeSession,
  renameSession,
  startAgent,
  startSession,
  stopSession,
  type ActionResult,
} from './actions.ts';
import type { WatchBoard } from './board.ts';
import { folderAt, type NewSession, parseNew } from './new-session.ts';
import type { Row } from './list.ts';
import { isLeaving, type Mode, optionFor } from './modes.ts';

/** The mode that an action changes later, when it has read something. */
export interface ModeDesk {
  /** Replaces `reading` by another mode, unless the user has already left it. */
  show(id: string, mode: Mode): void;
  /** Attaches to a session. */
  attach(row: Row): void;
}

export class SessionKeys {
  readonly #client: Client;
  readonly #board: WatchBoard;
  readonly #tell: (told: ActionResult) => void;
  readonly #desk: ModeDesk;

  constructor(client: Client, board: WatchBoard, tell: (told: ActionResult) => void, desk: ModeDesk) {
    this.#client = client;
    this.#board = board;
    this.#tell = tell;
    this.#desk = desk;
  }

  /** Returns the mode that the key of a letter leads to; null if the mode does not change. */
  press(letter: string): Mode | null {
    if (letter === 'n') return this.#new();
    const row = this.#board.selected;
    if (!row) return null;
    const { id, name } = row;
    switch (letter) {
      case ' ':
        return this.#ask(row);
      case 'p':
        if (!this.#isRunning(row)) return null;
        return {
          type: 'line',
          label: `prompt for ${name}:`,
          input: new TextInput(),
          done: (text) => void this.#act(`typing into ${name} …`, promptSession(this.#client, row, text)),
        };
      case 'r':
        return {
          type: 'line',
          label: 'new name:',
          input: new TextInput(name),
          done: (text) => void this.#rename(row, text.trim()),
        };
      case 's':
        if (!this.#isRunning(row)) return null;
        return {
          type: 'confirm',
          question: `Stop ${name}?`,
          yes: () => void this.#act(`stopping ${name} …`, stopSession(this.#client, row)),
        };
      case 'x':
        if (!isEnded(row)) return this.#refuse(`${name} is running; press s to stop it first`);
        return {
          type: 'confirm',
          question: `Remove ${name} (${id}) and all its output?`,
          yes: () => void this.#act(`removing ${name} …`, removeSession(this.#client, row)),
        };
      default:
        return null;
    }
  }

  /** Returns the selected session if this terminal can attach to it. */
  attachable(): Row | undefined {
    const row = this.#board.selected;
    if (!row || !this.#isRunning(row)) return undefined;
    // The session would show itself recursively without end.
    if (process.env.SPOOL_SESSION === row.id) this.#refuse('this terminal is inside that session');
    else if (row.size === null && !row.driver)
      this.#refuse(`${row.name} has no terminal; follow its output with: spool logs -f ${row.name}`);
    else return row;
    return undefined;
  }

  /** Returns the mode after a key that may be an answer. */
  answer(mode: Extract<Mode, { type: 'answer' }>, key: Key): Mode {
    const { row, question } = mode;
    if (isLeaving(key)) return { type: 'list' };
    const option = optionFor(question, key);
    if (!option) return mode;
    void this.#act(`answering ${row.name} …`, answerSession(this.#client, row, option));
    return { type: 'list' };
  }

  /** Returns the mode after a key that may answer the request of an agent. */
  answerRequest(mode: Extract<Mode, { type: 'request' }>, key: Key): Mode {
    const { shown, since } = mode;
    if (key.type === 'key') return isLeaving(key) ? { type: 'list' } : mode;
    // A key that was typed before the request could be read does not answer it.
    const effect = key.isPaste || Date.now() - since < ASK_GUARD_MS ? null : shown.press(key.text);
    if (effect === null) return mode;
    const doing = `answering ${shown.row.name} …`;
    if (effect.type === 'write')
      return {
        type: 'line',
        label: effect.label,
        input: new TextInput(effect.text),
        done: (text) => void this.#act(doing, effect.send(text)),
      };
    void this.#act(doing, effect.outcome);
    return { type: 'list' };
  }

  /** Reads the request of an agent, and shows it; if it is too long for the panel, the agent's own view shows it. */
  async #readRequest(row: Row): Promise<void> {
    const { id, name } = row;
    try {
      const { openRequest } = await import('./agent-request.ts');
      const shown = await openRequest(this.#client, row);
      if (shown === null) {
        this.#desk.show(id, { type: 'list' });
        this.#say(`${name} is not asking anything any more`);
      } else if (shown.lines(this.#board.size.cols).length > this.#board.panelRoom) this.#desk.attach(row);
      else this.#desk.show(id, { type: 'request', shown, since: Date.now() });
    } catch (error) {
      this.#desk.show(id, { type: 'list' });
      this.#refuse(`${name}: ${failureOf(error).message}`);
    }
  }

  /** Asks for a command or an agent, then for a name, then for a folder. */
  #new(): Mode {
    const asked = (label: string, text: string, done: (line: string) => Mode | void, isOptional = true): Mode => ({
      type: 'line',
      label,
      input: new TextInput(text),
      isOptional,
      done,
    });
    return asked(
      'command, or @claude and a prompt:',
      '',
      (line) =>
        asked('name (empty: as the program):', '', (name) =>
          asked('folder:', folderAt(this.#client.isRemote), (folder) => {
            void this.#start(parseNew(line, name, folder));
          }),
        ),
      false,
    );
  }

  #ask(row: Row): Mode | null {
    if (!this.#isRunning(row)) return null;
    const { question, state } = row.status;
    if (state !== 'blocked') return this.#say(`${row.name} is not asking anything`);
    if (isAskedByAgent(row)) {
      void this.#readRequest(row);
      return { type: 'reading', id: row.id };
    }
    if (!question || !question.options.some(({ key }) => key !== null))
      return this.#refuse(`the answers of ${row.name} could not be read; press enter to answer there`);
    return { type: 'answer', row, question };
  }

  #isRunning(row: Row): boolean {
    if (!isEnded(row)) return true;
    this.#say(`${endSentence(row)}; spool logs ${row.name} prints its output`);
    return false;
  }

  async #act(doing: string, done: Promise<ActionResult>): Promise<void> {
    this.#say(doing);
    this.#tell(await done);
  }

  async #rename(row: Row, name: string): Promise<void> {
    if (name === row.name) return;
    const { told, session } = await renameSession(this.#client, row, name);
    if (session) this.#board.update(session);
    this.#tell(told);
  }

  async #start(wanted: NewSession): Promise<void> {
    const { told, id } =
      wanted.agent === null
        ? await startSession(this.#client, wanted, this.#board.size)
        : await startAgent(this.#client, wanted, wanted.agent);
    if (id !== null) this.#board.choose(id);
    this.#tell(told);
  }

  #say(text: string): null {
    this.#tell({ text, isTrouble: false });
    return null;
  }

  #refuse(text: string): null {
    this.#tell({ text, isTrouble: true });
    return null;
  }
}
