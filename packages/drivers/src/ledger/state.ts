/** What is open in a run of an agent, as plain JSON: turns, parts of text, tools, questions to the user, prompts that wait. */
import type { AgentRef, AgentState, Content, PermissionOption } from '@spool/protocol/agent';

export interface LedgerState {
  /** How many turns have started: their ids are `t1`, `t2`, … */
  turns: number;
  turn: OpenTurn | null;
  parts: Record<string, OpenPart>;
  /** The latest parts that are done: what comes late of one is not shown again. */
  doneParts: string[];
  tools: Record<string, OpenTool>;
  asks: Record<string, OpenAsk>;
  /** The latest requests that were resolved, with who did: a late answer gets a true refusal. */
  resolved: { request: string; by: string }[];
  /** The latest tools that have ended: a late update opens none of them again. */
  endedTools: string[];
  queue: QueuedPrompt[];
  state: AgentState;
  detail: string | null;
  isReady: boolean;
  isEnded: boolean;
  /** A version that was not tested was told. */
  isVersionTold: boolean;
}

export interface OpenTurn {
  id: string;
  startedAt: number;
  clientIds: string[];
  /** The text of the last message, for agents whose last record has none. */
  text: string;
}

export interface OpenPart {
  kind: 'message' | 'thinking';
  message: string;
  part: number;
  text: string;
  isTruncated: boolean;
  isReplaced?: true;
  agent?: AgentRef;
}

export interface OpenTool {
  turn: string | null;
  name: string;
  /** The output as shown so far, or its end: cumulative output is turned into what is new. */
  output: string;
  /** How long the whole output is that was shown. */
  outputChars: number;
  agent?: AgentRef;
}

export interface OpenAsk {
  type: 'permission' | 'question';
  tool: string | null;
  options: PermissionOption[];
  /** Somebody else has answered; what, shows when the tool goes on. */
  isAnswered?: true;
  agent?: AgentRef;
}

export interface QueuedPrompt {
  clientId: string;
  content: Content[];
}

export function emptyLedger(): LedgerState {
  return {
    turns: 0,
    turn: null,
    parts: {},
    doneParts: [],
    tools: {},
    asks: {},
    resolved: [],
    endedTools: [],
    queue: [],
    state: 'starting',
    detail: null,
    isReady: false,
    isEnded: false,
    isVersionTold: false,
  };
}
