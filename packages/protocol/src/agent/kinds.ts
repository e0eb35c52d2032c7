/** The kinds of tools and of options, for the schemas (with zod) and for readers (without). */

/** The version of the events: raised when a reader of the previous version would misread an event, not for a new kind or field. */
export const AGENT_EVENTS_VERSION = 1;

/** The kinds of ACP, and `agent` for a tool that starts a subagent. */
export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'mode',
  'agent',
  'other',
] as const;

export const OPTION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;
