/** The first prompt of an agent as one line, by which a person recognizes the agent in a list. Keeps LIST-7. */
import type { AgentCommandLine } from '@spool/protocol';

/** The limit of a line for a list; the events log has the whole prompt. */
const PROMPT_CHARACTERS_MAX = 300;

/** Returns the text of a prompt in one line; '' for other commands, and for a prompt without text. */
export function promptLine(command: AgentCommandLine['command']): string {
  if (command.do !== 'prompt') return '';
  const text = command.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  // The limit comes first, because a prompt may have megabytes.
  const line = text
    .slice(0, 10 * PROMPT_CHARACTERS_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > PROMPT_CHARACTERS_MAX ? `${line.slice(0, PROMPT_CHARACTERS_MAX)}…` : line;
}
