/** Gemini's own tools: the kind of each, its most important input, its files, and the plan. */
import type { PlanEntry, ToolKind } from '@spool/protocol/agent';
import { type JsonObject, listOf, objectOf, textOf } from '../json-value.ts';
import type { ToolStart } from '../ledger/ledger.ts';

export const PLAN_TOOL = 'write_todos';

const KINDS: Readonly<Record<string, ToolKind>> = {
  run_shell_command: 'execute',
  read_file: 'read',
  read_many_files: 'read',
  write_file: 'edit',
  replace: 'edit',
  list_directory: 'search',
  glob: 'search',
  search_file_content: 'search',
  grep_search: 'search',
  web_fetch: 'fetch',
  google_web_search: 'fetch',
  [PLAN_TOOL]: 'think',
};

export function describeGeminiTool(name: string, input: JsonObject): ToolStart {
  const path = textOf(input.file_path) ?? textOf(input.path) ?? textOf(input.dir_path);
  return {
    name,
    toolKind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other',
    title: textOf(input.command) ?? path ?? name,
    input,
    paths: path === undefined ? undefined : [path],
  };
}

export function readPlan(input: JsonObject): PlanEntry[] {
  return listOf(input.todos).map((value): PlanEntry => {
    const { description, status } = objectOf(value);
    const known = status === 'in_progress' || status === 'completed' ? status : undefined;
    return { text: textOf(description) ?? '', status: known ?? (status === 'cancelled' ? 'deleted' : 'pending') };
  });
}
