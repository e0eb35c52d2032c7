/** The SDK, for any runtime. `@spool/client/node` adds what Node needs: `connect()`. */
export {
  Attachment,
  type AttachOptions,
  type Bypass,
  type BypassedBytes,
  type ViewChange,
} from './streams/attachment.ts';
export { Client, type ClientOptions } from './client.ts';
export type { RequestClient } from './request-client.ts';
export type {
  AnswerOptions,
  Explanation,
  PromptOptions,
  RunOptions,
  Screen,
  ScreenOptions,
  StopOptions,
  UntilOptions,
  UpdateOptions,
  WaitOptions,
} from './options.ts';
export { DEFAULT_SIZE } from './run.ts';
export { Doors } from './doors.ts';
export { type EventItem, Events, type EventsOptions } from './streams/events.ts';
export type { ViewerPermissions } from './streams/viewer-output.ts';
export type { TerminalModes } from '@spool/vt';
export { RECONNECT_MS } from './link/link.ts';
export type { Listed } from './list.ts';
export { type NodeChange, type NodeEvent, Nodes, type NodesOptions } from './nodes/nodes.ts';
export { everywhere, fleetClient } from './nodes/fleet-client.ts';
export type { NodeState, NodeView } from './nodes/node-view.ts';
export { pageId, placeOf, type SessionPlace } from './nodes/session-place.ts';
export { Session } from './session.ts';
export { type StateSpan, type Summary, summaryOf } from './summary/summary.ts';
export { AgentHandle, type Decided, type RequestEvent, type RequestRef } from './agents/agent-handle.ts';
export { readRequest } from './agents/read-request.ts';
export type { ResumeOptions } from './agents/resume.ts';
export { agentEnvironment, agentRun, AGENTS, type AgentOptions, contentOf } from './agents/launch.ts';
export { type AgentEventItem, AgentEvents } from './streams/agent-events.ts';
export type { AgentBody, AgentEvent, AgentEventKind, Command, Content } from '@spool/protocol/agent';
export type { RecordWatchOptions } from './streams/record-watch.ts';
export type { AbortSignalLike, DaemonTrouble, NodeRoads, RunDefaults, Runtime, Transport } from './link/runtime.ts';
export { idleSeconds, looksLikeShellPrompt, type TailOptions } from './tail.ts';
export {
  type CompletionOptions,
  type ShellOptions,
  type ShellResult,
  TaskEvents,
  type TaskEventsOptions,
  type TaskHandle,
  type TaskResult,
  type TaskStreamEvent,
} from './tasks.ts';
export { type OutputCallback, type SubscribeOptions } from './streams/output-subscription.ts';
export { type TextItem, TextWatch, type TextWatchOptions } from './streams/text-watch.ts';
export { CREDIT_BYTES, Watch, type WatchOptions } from './streams/watch.ts';
export type { AttachItem, WatchItem } from './streams/watch-queue.ts';
export {
  type DaemonEvent,
  type DaemonStatus,
  ENDED_STATES,
  type ErrorCode,
  type Evidence,
  type HistoryItem,
  type ListFilter,
  type ListOptions,
  type LogMarkInfo,
  type Milestone,
  type NodeInfo,
  type NodeSession,
  type Prompted,
  type ScreenFormat,
  type SessionInfo,
  type SessionState,
  type Size,
  type SizePolicy,
  SpoolError,
  type Status,
  type StatusInfo,
  type StatusState,
  type TaskInfo,
  taskOf,
  type TaskState,
  type TerminalColours,
  VERSION,
  type Viewer,
  type Waited,
  type WaitUntil,
  type WatchEvent,
  type WatchFrom,
} from '@spool/protocol';
