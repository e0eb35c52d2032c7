/** Claude's tools: their kind, a title for people, and the files, plans and tasks in their results. */
import {
  type Content,
  type Diff,
  type Hunk,
  type PlanEntry,
  requestSubject,
  type ToolKind,
} from '@spool/protocol/agent';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json-value.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'execute',
  BashOutput: 'read',
  KillShell: 'execute',
  Monitor: 'execute',
  Read: 'read',
  NotebookRead: 'read',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  ToolSearch: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'agent',
  Task: 'agent',
  EnterPlanMode: 'mode',
  ExitPlanMode: 'mode',
  TodoWrite: 'think',
  TaskCreate: 'think',
  TaskUpdate: 'think',
};

export function toolKindOf(name: string): ToolKind {
  return Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other';
}

/** The member of each tool's input that matters most to a person. */
const MAIN_MEMBERS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Monitor: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookRead: 'notebook_path',
  NotebookEdit: 'notebook_path',
  Glob: 'pattern',
  Grep: 'pattern',
  LS: 'path',
  ToolSearch: 'query',
  WebFetch: 'url',
  WebSearch: 'query',
  Agent: 'description',
  Task: 'description',
  TaskCreate: 'subject',
};

/**
 * Returns the most important part of an input: the command, the file, the pattern. For an unknown tool it returns the plain members
 * of its input; the person who is asked to allow it sees all of them.
 */
export function titleOf(name: string, input: JsonObject): string | undefined {
  const main = Object.hasOwn(MAIN_MEMBERS, name) ? textOf(input[MAIN_MEMBERS[name]!]) : undefined;
  const said = main?.slice(0, TITLE_CHARS_MAX) ?? (Object.hasOwn(KINDS, name) ? '' : plainMembers(input));
  return said === '' ? undefined : `${name}: ${said}`;
}

function plainMembers(input: JsonObject): string {
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object');
  return requestSubject({ input: Object.fromEntries(plain) }, TITLE_CHARS_MAX);
}

const TITLE_CHARS_MAX = 500;

export function pathsOf(input: JsonObject): string[] | undefined {
  const path = textOf(input.file_path) ?? textOf(input.notebook_path) ?? textOf(input.path);
  return path === undefined ? undefined : [path];
}

/** The content of a `tool_result`: a text, or blocks. */
export function parseToolContent(value: unknown): Content[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return listOf(value).map(blockContent);
}

export function blockContent(value: unknown): Content {
  const block = objectOf(value);
  const text = textOf(block.text);
  if (block.type === 'text' && text !== undefined) return { type: 'text', text };
  const source = objectOf(block.source);
  const data = textOf(source.data);
  if (block.type === 'image' && data !== undefined)
    return { type: 'image', mime: textOf(source.media_type) ?? 'image/png', data };
  return { type: 'other', value };
}

/** The change of a file in the structured result of an edit. */
export function diffOf(result: unknown): Diff | undefined {
  const { filePath, structuredPatch, content, originalFile } = objectOf(result);
  const path = textOf(filePath);
  if (path === undefined || !Array.isArray(structuredPatch)) return undefined;
  const hunks = structuredPatch.filter(isHunk);
  // An edit of a large file comes without the text before it.
  const hadLines = hunks.some(({ oldLines }) => oldLines > 0);
  const isNew = !hadLines && (originalFile === null || originalFile === undefined);
  const newText = isNew ? textOf(content) : undefined;
  return {
    path,
    change: isNew ? 'add' : 'modify',
    ...(hunks.length > 0 ? { hunks } : {}),
    ...(newText === undefined ? {} : { oldText: null, newText }),
  };
}

function isHunk(value: unknown): value is Hunk {
  return isObject(value) && numberOf(value.oldStart) !== undefined && Array.isArray(value.lines);
}

/** The plan in the structured result of `TodoWrite`, `TaskCreate` or `TaskUpdate`. */
export function planOf(result: unknown): { readonly replace: boolean; readonly entries: PlanEntry[] } | undefined {
  const { newTodos, task, statusChange, taskId } = objectOf(result);
  if (Array.isArray(newTodos)) return { replace: true, entries: newTodos.map((todo) => entryOf(objectOf(todo))) };
  if (isObject(task)) return { replace: false, entries: [entryOf(task)] };
  const id = textOf(taskId);
  const to = textOf(objectOf(statusChange).to);
  if (id === undefined || to === undefined) return undefined;
  return { replace: false, entries: [{ id, text: '', status: statusOf(to) }] };
}

function entryOf(todo: JsonObject): PlanEntry {
  const id = textOf(todo.id);
  const text = textOf(todo.content) ?? textOf(todo.subject) ?? textOf(todo.description) ?? '';
  return { ...(id === undefined ? {} : { id }), text, status: statusOf(textOf(todo.status) ?? 'pending') };
}

function statusOf(word: string): PlanEntry['status'] {
  return word === 'in_progress' || word === 'completed' || word === 'deleted' ? word : 'pending';
}
