/** The ways in which a prompt reaches an agent: as a command to its driver, or typed into its terminal. */
import type { Content } from '@spool/protocol/agent';
import { client } from '../link/daemon.ts';

export interface AgentTalk {
  prompt(prompt: string | readonly Content[]): Promise<unknown>;
  interrupt(): Promise<unknown>;
}

/** Types a prompt as a careful user would. A terminal takes text only. */
export function typedTalk(id: string): AgentTalk {
  return {
    prompt: (prompt) => client.prompt(id, typeof prompt === 'string' ? prompt : ''),
    interrupt: () => client.keys(id, ['Escape']),
  };
}
