/**
 * Runs a real agent beside a scripted model, driven by a script that knows the true state at every moment:
 *
 * - working: a request to the model is open, or a job that it has started is running (a file shows that);
 * - blocked: the model has called a tool, the tool has not begun, and the dialog is drawn;
 * - idle: no request is open, no job runs, no dialog is drawn, and the screen has not changed for `STILL_MS`: the program has
 *   painted its end, and no longer shows work. A second mark follows `LATER_MS` later, if the screen still has not changed.
 *
 * Facts come from the model (`SCRIPTED_FACTS`) and from the files of the jobs. The status rules are not used.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Agent, AGENTS, commandOf } from '../src/agents.ts';
import { until } from '../src/processes.ts';
import { program } from '../src/programs.ts';
import { PROGRAMS, type RecordedProgram } from './programs.ts';
import { RecordedTerminal } from './recorded-terminal.ts';

export interface RecordRunOptions {
  readonly agent: string;
  /** The version, if not the pinned one: `node scripts/agents.mjs claude@2.1.300` downloads it. */
  readonly version?: string;
  readonly cols: number;
  readonly rows: number;
  /** The name that the terminal reports; `silent` answers no queries. */
  readonly terminal?: 'xterm' | 'kitty' | 'ghostty' | 'vscode' | 'silent';
  readonly arguments?: readonly string[];
  /** Arguments instead of those that the tests use, for versions that do not know them. */
  readonly instead?: readonly string[];
  /** Settings of the agent, by their path in its home, merged into the usual ones if they are JSON. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The time before the model's first word. */
  readonly firstMs?: number;
  /** Arguments that are added when the scene `resumed` starts the program again. */
  readonly resumes?: readonly string[];
}

interface Fact {
  readonly at: number;
  readonly fact: 'asked' | 'answered' | 'failed' | 'cut';
  readonly calls?: number;
}

const PATIENCE_MS = 60_000;
/** The time without changes after which the last frame is drawn. */
const STILL_MS = 700;
const LATER_MS = 1100;
/** The limit for a program that always changes: its idle screen moves. */
const STILL_MS_MAX = 8000;
/** The time between a dialog and its first mark; another mark follows later. */
const DIALOG_MS = 120;
/** The time after its request in which the program has drawn that it works. */
const DRAWN_MS = 450;
const PACE_MS = 20;

const TERMINALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  xterm: { TERM: 'xterm-256color' },
  silent: { TERM: 'xterm-256color' },
  kitty: { TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1', COLORTERM: 'truecolor' },
  ghostty: { TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty', COLORTERM: 'truecolor' },
  vscode: { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', COLORTERM: 'truecolor' },
};

/** A job that prints its progress until it is done; it leaves a file when it begins and when it ends. */
const JOB = `#!/bin/sh
touch "$1.started"
part=0
while [ $part -lt "$2" ]; do part=$((part + 1)); echo "$1: part $part of $2"; sleep 1; done
echo "$1 is done"
touch "$1.done"
`;

export class RecordedAgentRun {
  readonly agent: Agent;
  readonly program: RecordedProgram;
  #terminal: RecordedTerminal;
  /** Arguments of the recorded start. */
  #more: readonly string[] = [];
  readonly #options: RecordRunOptions;
  readonly #folder = mkdtempSync(`${tmpdir()}/record-`);
  readonly #project = `${this.#folder}/project`;
  readonly #facts = `${this.#folder}/facts`;
  #marks = 0;

  constructor(options: RecordRunOptions) {
    this.#options = options;
    const known = AGENTS.find(({ name }) => name === options.agent)!;
    const path = known.program.replace(
      `/${known.name}/`,
      `/${known.name}${options.version ? `@${options.version}` : ''}/`,
    );
    this.agent = { ...known, program: path, arguments: options.instead ?? known.arguments };
    this.program = PROGRAMS[options.agent]!;
    if (!existsSync(path)) throw new Error(`${path} is not there: node scripts/agents.mjs brings it`);
    mkdirSync(this.#project);
    mkdirSync(`${this.#folder}/tmp`);
    writeFileSync(this.#facts, '');
    writeFileSync(`${this.#project}/job.sh`, JOB, { mode: 0o755 });
    writeFileSync(`${this.#project}/notes.md`, Array.from({ length: 12 }, (_, at) => `- note ${at + 1}\n`).join(''));
    for (const [file, content] of Object.entries(this.#settings())) {
      mkdirSync(dirname(`${this.#folder}/${file}`), { recursive: true });
      writeFileSync(`${this.#folder}/${file}`, content);
    }
    this.#terminal = this.#start();
  }

  get terminal(): RecordedTerminal {
    return this.#terminal;
  }

  /** Ends the program and starts it again, so that it continues its session. Only the output from now on is recorded. */
  async resume(): Promise<void> {
    const { quitKey } = this.agent;
    for (let tries = 0; tries < 4 && !this.#terminal.hasEnded; tries++) {
      this.#terminal.key(`C-${quitKey}`);
      await this.pause(700);
    }
    this.#terminal[Symbol.dispose]();
    this.#more = this.#options.resumes ?? [];
    this.#terminal = this.#start();
  }

  #start(): RecordedTerminal {
    const { cols, rows, terminal = 'xterm' } = this.#options;
    return new RecordedTerminal({
      command: [program('offline'), ...commandOf(this.agent, this.#arguments)],
      cwd: this.#project,
      env: {
        PATH: process.env.PATH!,
        HOME: this.#folder,
        TMPDIR: `${this.#folder}/tmp`,
        LANG: 'C.UTF-8',
        ...this.agent.env,
        ...TERMINALS[terminal],
        SCRIPTED_FACTS: this.#facts,
        SCRIPTED_FIRST_MS: String(this.#options.firstMs ?? 0),
      },
      cols,
      rows,
      answersQueries: terminal !== 'silent',
    });
  }

  get #arguments(): readonly string[] {
    return [...this.program.arguments, ...(this.#options.arguments ?? []), ...this.#more];
  }

  #settings(): Record<string, string> {
    const settings: Record<string, string> = { ...this.agent.settings(this.#project) };
    for (const [file, change] of Object.entries(this.program.settings ?? {})) settings[file] = change(settings[file]!);
    for (const [file, content] of Object.entries(this.#options.settings ?? {}))
      settings[file] =
        file.endsWith('.json') && settings[file]
          ? JSON.stringify({ ...JSON.parse(settings[file]), ...JSON.parse(content) })
          : content;
    return settings;
  }

  /** Returns whether a file exists in the project's folder. */
  has(file: string): boolean {
    return existsSync(`${this.#project}/${file}`);
  }

  make(file: string): void {
    writeFileSync(`${this.#project}/${file}`, '');
  }

  get facts(): readonly Fact[] {
    const lines = readFileSync(this.#facts, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Fact);
  }

  /** The number of requests that the model has not answered. */
  get open(): number {
    return this.facts.reduce((open, { fact }) => open + (fact === 'asked' ? 1 : -1), 0);
  }

  count(fact: Fact['fact']): number {
    return this.facts.filter((each) => each.fact === fact).length;
  }

  get text(): string {
    return this.terminal.text;
  }

  get isAsking(): boolean {
    return this.program.dialog.test(this.text);
  }

  async pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  async until(what: string, claim: () => boolean, withinMs = PATIENCE_MS): Promise<void> {
    try {
      await until(what, () => claim() || this.terminal.hasEnded, withinMs);
    } catch (error) {
      throw new Error(`${(error as Error).message}; it shows:\n${this.text}`, { cause: error });
    }
    if (!claim() && this.terminal.hasEnded) throw new Error(`it has ended before ${what}; it showed:\n${this.text}`);
  }

  mark(label: string, truth: 'working' | 'idle'): void {
    this.#marks++;
    this.terminal.mark(label, { truth });
  }

  /** Waits until the last frame is drawn, and all work is over. */
  async rest(label: string, stillMs = STILL_MS): Promise<void> {
    await this.until(`${label}: no request is open`, () => this.open === 0);
    const begun = this.terminal.ms;
    await this.until(
      `${label}: the screen stands still`,
      () =>
        (this.terminal.stillMs >= stillMs && !this.program.works.test(this.text)) ||
        this.terminal.ms - begun > STILL_MS_MAX,
    );
    if (this.open > 0 || this.isAsking) return;
    this.mark(label, 'idle');
    await this.pause(LATER_MS);
    if (this.terminal.stillMs >= STILL_MS && this.open === 0 && !this.isAsking) this.mark(`${label}-later`, 'idle');
  }

  /** Marks a drawn dialog: soon after it appears, and again later. */
  async dialog(label: string, question: string | null, subject: string): Promise<void> {
    await this.until(`${label} is asked`, () => this.isAsking);
    await this.pause(DIALOG_MS);
    if (this.isAsking) this.#markDialog(`${label}-early`, question, subject);
    await this.pause(LATER_MS + 300);
    if (this.isAsking) this.#markDialog(label, question, subject);
  }

  /** Adds a mark; on a small screen, words that are not visible are not required. */
  #markDialog(label: string, question: string | null, subject: string): void {
    // The user's own words are not a part of the dialog.
    const rows = this.text.split('\n').filter((row) => !/please|^ *(?:❯|>|›) /.test(row) || /\d\. /.test(row));
    const shown = rows.join('').replaceAll(/[\s│┃█]+/g, '');
    const shows = (words: string): boolean => shown.includes(words.replaceAll(/\s+/g, ''));
    this.#marks++;
    this.terminal.mark(label, {
      truth: 'blocked',
      ...(question !== null && shows(question) && { question }),
      ...(shows(subject) && { subject }),
    });
  }

  async keys(names: readonly string[], pauseMs = 350): Promise<void> {
    for (const name of names) {
      this.terminal.key(name.startsWith('@') ? this.#numberOf(name.slice(1)) : name);
      await this.pause(pauseMs);
    }
  }

  /** Returns the number in front of an option whose label begins with a pattern. */
  #numberOf(label: string): string {
    const option = new RegExp(`(\\d)(?:\\.| \\([●○]\\)) ${label}`);
    const numbers = this.text.split('\n').flatMap((line) => option.exec(line.trimEnd())?.[1] ?? []);
    if (numbers.length === 0) throw new Error(`there is no option ${label}; it shows:\n${this.text}`);
    return numbers.at(-1)!;
  }

  /** Types a prompt, marks it, and sends it. */
  async send(prompt: string, { isMarked = true } = {}): Promise<void> {
    const asked = this.count('asked');
    if (this.isAsking && (this.facts.at(-1)?.calls ?? 0) > 0) throw new Error(`a dialog is up:\n${this.text}`);
    await this.terminal.type(prompt, PACE_MS);
    await this.until('the draft is drawn', () => this.terminal.stillMs > 300);
    if (isMarked) this.mark('typed', 'idle');
    this.terminal.key('Enter');
    await this.until(`the model is asked to ${prompt}`, () => this.count('asked') > asked);
  }

  /** Adds marks, now and at intervals, while a claim holds that proves work. */
  async works(label: string, isWorking: () => boolean, times: number, everyMs = 1100): Promise<void> {
    await this.pause(DRAWN_MS);
    for (let at = 1; at <= times; at++) {
      if (!isWorking() || this.isAsking) return;
      this.mark(`${label}-${at}`, 'working');
      await this.pause(everyMs);
    }
  }

  /** Returns the files of a recording. */
  recording(isHeldOut: boolean): { readonly json: Uint8Array; readonly pty: Uint8Array; readonly marks: number } {
    const { agent, version, cols, rows } = this.#options;
    const pinned = readFileSync(this.agent.program.replace(/(\/\.agents\/[^/]+)\/.*$/, '$1/package.txt'), 'utf8');
    const known = version ?? /@(\d[\d.]*)/.exec(pinned.slice(1))?.[1] ?? 'unknown';
    const args = [agent, ...this.agent.arguments, ...this.#arguments];
    const { events, output } = this.terminal;
    const json = JSON.stringify({ version: `${agent}-${known}`, cols, rows, args, heldOut: isHeldOut, events });
    return { json: gzipSync(json, { level: 9 }), pty: gzipSync(output, { level: 9 }), marks: this.#marks };
  }

  [Symbol.dispose](): void {
    this.#terminal[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
