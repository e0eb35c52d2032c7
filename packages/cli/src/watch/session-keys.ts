/**
 * The keys of `spool watch` that do something to a session: start, prompt, rename, stop, remove, answer, attach. Each reports its
 * outcome. Keeps WATCH-3 and WATCH-4.
 */
import type { Client } from '@spool/client/node';
import { endSentence, isEnded } from '../output/session-words.ts';
import {
  answerSession,
  promptSession,
  removeSession,
  renameSession,
  startSession,
  stopSession,
  type ActionResult,
} from './actions.ts';
import type { WatchBoard } from './board.ts';
import type { Key } from './keys.ts';
import type { Row } from './list.ts';
import { type Mode, optionFor } from './modes.ts';

export class SessionKeys {
  readonly #client: Client;
  readonly #board: WatchBoard;
  readonly #tell: (told: ActionResult) => void;

  constructor(client: Client, board: WatchBoard, tell: (told: ActionResult) => void) {
    this.#client = client;
    this.#board = board;
    this.#tell = tell;
  }

  /** The mode that the key of a letter leads to; null if it stays as it is. */
  press(letter: string): Mode | null {
    if (letter === 'n') return { type: 'line', label: 'command:', text: '', done: (line) => void this.#start(line) };
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
          text: '',
          done: (text) => void this.#act(`typing into ${name} …`, promptSession(this.#client, row, text)),
        };
      case 'r':
        return { type: 'line', label: 'new name:', text: name, done: (text) => void this.#rename(row, text.trim()) };
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

  /** The selected session, if this terminal can attach to it. */
  attachable(): Row | undefined {
    const row = this.#board.selected;
    if (!row || !this.#isRunning(row)) return undefined;
    // The session would show itself recursively without end.
    if (process.env.SPOOL_SESSION === row.id) this.#refuse('this terminal is inside that session');
    else if (row.size === null)
      this.#refuse(`${row.name} has no terminal; follow its output with: spool logs -f ${row.name}`);
    else return row;
    return undefined;
  }

  /** The mode after a key that may be an answer. */
  answer(mode: Extract<Mode, { type: 'answer' }>, key: Key): Mode {
    const { row, question } = mode;
    if (key.type === 'key' && (key.name === 'escape' || key.name === 'interrupt')) return { type: 'list' };
    const option = optionFor(question, key);
    if (!option) return mode;
    void this.#act(`answering ${row.name} …`, answerSession(this.#client, row, option));
    return { type: 'list' };
  }

  #ask(row: Row): Mode | null {
    if (!this.#isRunning(row)) return null;
    const { question, state } = row.status;
    if (state !== 'blocked') return this.#say(`${row.name} is not asking anything`);
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

  async #start(line: string): Promise<void> {
    const { told, id } = await startSession(this.#client, line, this.#board.size);
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
