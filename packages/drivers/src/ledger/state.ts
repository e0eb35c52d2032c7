/** The open items in a run of an agent, as plain JSON: turns, parts of text, tools, questions to the user, waiting prompts. */
import type { AgentRef, AgentState, Content, PermissionOption } from '@spool/protocol/agent';

export interface LedgerState {
  /** The number of turns that have started: their ids are `t1`, `t2`, … */
  turns: number;
  turn: OpenTurn | null;
  parts: Record<string, OpenPart>;
  /** The latest completed parts, so that late text of one is not shown again. */
  doneParts: string[];
  tools: Record<string, OpenTool>;
  asks: Record<string, OpenAsk>;
  /** The number of requests that were registered, which their digests contain. */
  requests: number;
  /** The latest resolved requests, and who resolved each, so that a late answer gets a correct refusal. */
  resolved: { request: string; by: string }[];
  /** The latest tools that have ended, so that a late update does not open one of them again. */
  endedTools: string[];
  queue: QueuedPrompt[];
  state: AgentState;
  detail: string | null;
  isReady: boolean;
  isEnded: boolean;
  /** Whether the agent has closed its input, but is alive. */
  isInputClosed?: true;
  /** Whether an event has named a version that was not tested. */
  isVersionTold: boolean;
}

interface OpenTurn {
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
  /** The output as shown so far, or its end, to find the new part of cumulative output. */
  output: string;
  /** The length of the whole output that was shown. */
  outputChars: number;
  /** The input as far as it is known, as JSON, for a later permission; null if it was too long to keep. */
  input?: string | null;
  /** The changes that it proposes, by path, each as JSON; null if they were too long to keep. */
  diffs?: Record<string, string> | null;
  agent?: AgentRef;
}

export interface OpenAsk {
  type: 'permission' | 'question';
  tool: string | null;
  /** The name of the tool. */
  name: string | null;
  options: PermissionOption[];
  digest: string;
  /** The hash of the content, without the number of the request. */
  hash: string;
  /** The length of the content as JSON, in UTF-8. */
  bytes: number;
  /** Whether a part of it was too long to keep, so that it can only be denied. */
  isCut?: true;
  /** The input, if it is short, because the outcome names it. */
  input?: unknown;
  /** Whether another client has answered; the outcome is visible when the tool continues. */
  isAnswered?: true;
  /** The answer that was given and that the agent has not accepted yet; another one may still come first. */
  held?: HeldAnswer;
  agent?: AgentRef;
}

export interface HeldAnswer {
  readonly decision: 'allow' | 'deny' | 'answered' | 'declined';
  readonly by: 'watcher' | 'policy';
  readonly more: {
    option?: string | undefined;
    who?: string | undefined;
    message?: string | undefined;
    input?: unknown;
    isInputChanged?: boolean | undefined;
    answers?: Readonly<Record<string, unknown>> | undefined;
  };
  /** The command, for its author. */
  readonly command: string;
  /** Whether the agent has refused it, because another answer was first. */
  isLate?: true;
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
    requests: 0,
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
