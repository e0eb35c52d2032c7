/**
 * The last lines that an agent printed beside its protocol: they say why it failed ("Please run /login"), and often nothing else does.
 * Keeps INST-20.
 */
import type { AgentEvent } from './events.ts';

const LINES_MAX = 5;
const LINE_CHARACTERS_MAX = 300;
/** Exit codes from here on mean a signal, such as that of `spool stop`. */
const SIGNAL_CODES_FROM = 128;
/** A line of a stack trace: there are more of them than lines that say something. */
const STACK_LINE = /^at .*[:)]\S*$/;

export class LastWords {
  #lines: string[] = [];
  #hadTurn = false;
  /** Whether the agent has reported a fault of the last turn. */
  #isExplained = false;

  /** Takes the next event. At the end of an agent that failed, returns how it ended and what it said. */
  take(event: AgentEvent): string | null {
    switch (event.kind) {
      case 'turn.started':
        this.#hadTurn = true;
        this.#isExplained = false;
        this.#lines = [];
        return null;
      case 'fault':
        this.#isExplained = true;
        return null;
      case 'turn.ended':
        // What the agent itself says at the end of a turn is better than its lines. Of a crash, the daemon reports the end.
        if (event.evidence === 'daemon') return null;
        this.#isExplained = event.error !== undefined;
        this.#lines = [];
        return null;
      case 'notice':
        if (event.code === 'stderr') this.#add(event.text);
        return null;
      case 'raw':
        if (event.type === 'text' && typeof event.value === 'string') this.#add(event.value);
        return null;
      case 'session.ended':
        return this.#reason(event.exitCode ?? 0);
      default:
        return null;
    }
  }

  #add(line: string): void {
    if (!STACK_LINE.test(line)) this.#lines = [...this.#lines, line.slice(0, LINE_CHARACTERS_MAX)].slice(-LINES_MAX);
  }

  #reason(exitCode: number): string | null {
    if (exitCode === 0 || exitCode >= SIGNAL_CODES_FROM || this.#isExplained) return null;
    // The end of a turn says by itself that the agent has ended.
    if (this.#lines.length === 0 && this.#hadTurn) return null;
    const words = this.#lines.length === 0 ? '' : `: ${this.#lines.join('\n')}`;
    return `the agent ended with exit code ${exitCode}${words}`;
  }
}
