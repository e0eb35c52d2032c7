/** The kinds of tools and of options, for the schemas (with zod) and for readers (without). */

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
