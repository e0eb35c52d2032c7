/**
 * Reads the marks of a shell (OSC 133, 633): the place of its prompt, the start and the end of a command.
 *
 * At its prompt a shell is idle, and that is certain if it also marks the start of commands. A running command is certain;
 * whether it works is not: it may be an agent, or a shell on another machine.
 */
import { cleanText, type OscEvent } from '@spool/vt';
import { type Claim, claim, type LogMoment } from '../claim.ts';

export type ShellFact = Extract<
  OscEvent,
  { type: 'prompt-start' | 'prompt-end' | 'command-start' | 'command-text' | 'command-end' }
>;

const SHELL_FACTS: ReadonlySet<OscEvent['type']> = new Set<ShellFact['type']>([
  'prompt-start',
  'prompt-end',
  'command-start',
  'command-text',
  'command-end',
]);

export const isShellFact = (fact: OscEvent): fact is ShellFact => SHELL_FACTS.has(fact.type);

/** The time after a mark in which output still belongs to the prompt. */
const PROMPT_MS = 500;
const UNSURE = 0.7;
const COMMAND_CHARACTERS_MAX = 120;

export class ShellMarks {
  #claim: Claim | null = null;
  #command: string | null = null;
  #marksCommands = false;

  get claim(): Claim | null {
    return this.#claim;
  }

  get isAtPrompt(): boolean {
    return this.#claim?.evidence.says === 'idle';
  }

  /** The last prompt as text; null while a command runs, or if the shell does not mark the end of its prompt. */
  prompt: string | null = null;

  /** The running command, as far as the shell reports it. */
  get command(): string | null {
    return this.#command;
  }

  fact(fact: ShellFact, moment: LogMoment): void {
    switch (fact.type) {
      case 'command-text':
        this.#command = fact.command;
        return;
      case 'command-start':
        this.#marksCommands = true;
        this.prompt = null;
        this.#command = fact.command ?? this.#command;
        this.#claim = running(this.#command, moment);
        return;
      case 'command-end':
        this.#marksCommands = true;
        this.#atPrompt(0.85, 'the command has ended', moment);
        return;
      case 'prompt-start':
        this.prompt = null;
        this.#atPrompt(0.9, 'the shell shows its prompt', moment);
        return;
      case 'prompt-end':
        this.#atPrompt(0.95, 'the shell waits for a command', moment);
    }
  }

  /**
   * Notes output other than an echo. In a shell that does not mark the start of commands, such output is a command. Returns
   * whether it was one.
   */
  printed(now: number): boolean {
    if (this.#claim === null || this.#marksCommands || now - this.#claim.evidence.at <= PROMPT_MS) return false;
    this.#claim = null;
    return true;
  }

  /** Restores the claim from before a restart. */
  restore(restored: Claim): void {
    this.#claim = restored;
    this.#marksCommands = restored.evidence.confidence !== UNSURE;
  }

  #atPrompt(confidence: number, why: string, moment: LogMoment): void {
    this.#command = null;
    this.#claim = claim('shell', 'idle', this.#marksCommands ? confidence : UNSURE, why, moment, { kind: 'prompt' });
  }
}

function running(command: string | null, moment: LogMoment): Claim {
  const activity = command === null ? '' : cleanText(command.trim().split('\n', 1)[0]!, COMMAND_CHARACTERS_MAX);
  const why = activity === '' ? 'the shell runs a command' : `the shell runs "${activity}"`;
  return claim('shell', 'working', 0.65, why, moment, { activity: activity || null });
}
