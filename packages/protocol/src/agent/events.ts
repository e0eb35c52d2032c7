/**
 * The actions of an agent as events: one vocabulary for every agent that Spool drives. A dialect (`packages/drivers`) turns the
 * lines of an agent's wire into bodies; the driver puts each one into an envelope. The words of ACP are used where they exist.
 * `event-schema.ts` describes the fields. A reader shows an unknown kind as `raw`.
 */
import type { MessageOf } from '../message-type.ts';
import type * as schemas from './event-schema.ts';

/** The agent or program that is the source. */
export type AgentSource = 'claude' | 'codex' | 'opencode' | 'gemini' | 'grok' | 'acp' | 'pty';

/**
 * The kind of evidence. `wire`: the agent's own structured stream. `hook`, `file`: a structured side channel of an agent in a
 * terminal. `screen`: inferred. `daemon`: a fact from the daemon itself, such as the end of the process.
 */
export type AgentEvidence = 'wire' | 'hook' | 'file' | 'screen' | 'daemon';

export interface AgentEnvelope {
  /** The number of the event: assigned by the daemon, dense, per session; the cursor of every watcher. */
  readonly seq: number;
  /** The time when the daemon received it, in milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly source: AgentSource;
  readonly evidence: AgentEvidence;
  /** The place of its line in the output log. Events that follow from a command have none. */
  readonly raw?: { readonly offset: number; readonly length: number };
}

/** A body with the turn and the agent that it belongs to. */
export type AgentBody = MessageOf<typeof schemas.AGENT_BODY>;
export type AgentEvent = AgentEnvelope & AgentBody;
export type AgentEventKind = AgentBody['kind'];

type BodyOf<K extends AgentEventKind> = Extract<AgentBody, { readonly kind: K }>;

export type AgentRef = MessageOf<typeof schemas.AGENT_REF>;
export type Content = MessageOf<typeof schemas.CONTENT>;
export type Diff = MessageOf<typeof schemas.DIFF>;
export type Hunk = MessageOf<typeof schemas.HUNK>;
export type Tokens = MessageOf<typeof schemas.TOKENS>;
export type PermissionOption = MessageOf<typeof schemas.PERMISSION_OPTION>;
export type AgentQuestion = MessageOf<typeof schemas.AGENT_QUESTION>;
export type PlanEntry = MessageOf<typeof schemas.PLAN_ENTRY>;
export type AgentFault = MessageOf<typeof schemas.AGENT_FAULT>;
export type ToolKind = BodyOf<'tool.started'>['toolKind'];
export type AgentState = BodyOf<'status'>['state'];
export type TurnOutcome = BodyOf<'turn.ended'>['outcome'];
export type ToolStatus = BodyOf<'tool.ended'>['status'];
export type Decision = BodyOf<'permission.resolved'>['decision'];
export type DecidedBy = BodyOf<'permission.resolved'>['by'];
