/** The words of a tool's card: its verb, its subject and its state. */
import { type ToolEntry, visibleTitle, type VisibleText } from '@spool/render';

const NAME_CHARACTERS_MAX = 80;
const SUBJECT_CHARACTERS_MAX = 500;
const MCP_NAME = /^mcp__(.+?)__(.+)$/;

const VERBS: Readonly<Record<string, string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  fetch: 'Fetch',
  agent: 'Subagent',
};

export interface ToolWords {
  readonly verb: string;
  /** The command, the file, the address, …; empty if it is unknown. */
  readonly subject: VisibleText;
}

/** The names that agents use for the tool that writes their plan. */
const PLAN_NAME = /^(?:todo_?(?:write|read)|write_todos|update_plan)$/i;

export const isPlanName = (name: string): boolean => PLAN_NAME.test(name);

/** A tool that needed a permission keeps the name it had when the decision was made, instead of the agent's title. */
export function toolWords({ name, title, toolKind, permission }: ToolEntry): ToolWords {
  if (permission !== null && permission.about !== '') return { verb: '', subject: permission.about };
  const mcp = MCP_NAME.exec(name);
  const shown = isPlanName(name) ? 'Plan' : mcp === null ? name : `${mcp[1]} · ${mcp[2]}`;
  const verb = mcp === null ? (VERBS[toolKind] ?? visibleTitle(shown, NAME_CHARACTERS_MAX)) : shown;
  const prefix = [`${name}: `, `${name} `].find((each) => name !== '' && title.startsWith(each)) ?? '';
  const subject = visibleTitle(title.slice(prefix.length), SUBJECT_CHARACTERS_MAX);
  return {
    verb: verb === '' ? 'Tool' : visibleTitle(verb, NAME_CHARACTERS_MAX),
    subject: subject === name ? ('' as VisibleText) : subject,
  };
}

export type ToolState = 'running' | 'waiting' | 'ok' | 'failed' | 'denied' | 'cancelled' | 'background' | 'unknown';

/** `isPast`: a later part of the conversation has the end of the tool. `isWaiting`: it waits for a permission. */
export function toolState({ status }: ToolEntry, isPast: boolean, isWaiting: boolean): ToolState {
  if (status === null) return isPast ? 'unknown' : isWaiting ? 'waiting' : 'running';
  return status === 'error' ? 'failed' : status;
}

export const STATE_WORDS: Readonly<Record<ToolState, string>> = {
  running: 'running',
  waiting: 'waiting for you',
  ok: 'done',
  failed: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
  background: 'in the background',
  unknown: '',
};
