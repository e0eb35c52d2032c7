/**
 * The tools whose input is known, as data: the kind of each, and the meaning of each of its keys. An unlisted key, or a value of
 * another form, is not understood. For agents over ACP that do not name their tools, the kind is the name. Keeps POL-7, POL-42.
 */
import type { ToolKind } from '@spool/protocol/agent';

/**
 * The role of a key's value. `path` is a file or a list of them, `folder` the folder in which a command runs, `pattern` names of
 * files below a folder, `locations` files as ACP lists them, `mentions` such files beside a command, `blocks` texts of the agent
 * beside its request; `any` is for tools that neither read nor write nor run anything.
 */
export type KeyRole =
  | 'text'
  | 'texts'
  | 'word'
  | 'number'
  | 'flag'
  | 'path'
  | 'folder'
  | 'pattern'
  | 'url'
  | 'edits'
  | 'locations'
  | 'mentions'
  | 'content'
  | 'blocks'
  | 'any'
  | 'command'
  | 'local';

export interface KnownTool {
  readonly kind: ToolKind;
  readonly keys: ReadonlyMap<string, KeyRole>;
  /** Its shell lines arrive inside `bash -lc '…'`. */
  readonly wrapsLines?: true;
}

type Keys = Partial<Record<KeyRole, string>>;

const PATHS = 'file_path notebook_path filePath filepath path paths absolute_path';

const EXECUTE: Keys = {
  text: 'description',
  number: 'timeout timeout_ms',
  flag: 'run_in_background is_background',
  word: 'variant',
  folder: 'cwd workdir working_directory workingDirectory directory dir_path',
  blocks: 'content',
  // The parts of the command that OpenCode's own rules examine.
  texts: 'patterns',
  // The line names the command, so these keys can only lead to a denial.
  mentions: 'locations',
};
/** Codex describes its understanding of a command, and the rule that it would add for "always allow". */
const CODEX: Keys = {
  folder: 'cwd',
  command: 'kind',
  local: 'environmentId',
  any: 'commandActions proposedExecpolicyAmendment',
};
const READ: Keys = {
  path: `${PATHS} target_file`,
  number: 'offset limit start_line end_line',
  word: 'pages cell_id variant',
  locations: 'locations',
  blocks: 'content',
};
const EDIT: Keys = {
  path: `${PATHS} patterns`,
  text: 'old_string new_string oldString newString old_str new_str new_source contents diff instruction',
  content: 'content',
  flag: 'replace_all replaceAll',
  number: 'insert_line expected_replacements',
  word: 'cell_id cell_type edit_mode variant',
  edits: 'edits',
  locations: 'locations',
};
/** The keys of a patch. A patch names its files in its text, so the text does not count as harmless. */
const PATCH: Keys = { path: PATHS, locations: 'locations', blocks: 'content' };
const LIST: Keys = {
  path: 'path paths dir_path',
  pattern: 'pattern glob include',
  texts: 'ignore exclude',
  flag: 'case_sensitive respect_git_ignore recursive',
  number: 'limit',
  locations: 'locations',
  blocks: 'content',
};
const GREP: Keys = {
  path: 'path paths dir_path',
  text: 'pattern glob include',
  word: 'output_mode type',
  number: 'head_limit offset limit context -A -B -C',
  flag: 'multiline -n -i case_sensitive',
  locations: 'locations',
  blocks: 'content',
};
const FETCH: Keys = {
  url: 'url',
  text: 'prompt query',
  word: 'format',
  number: 'timeout',
  texts: 'allowed_domains blocked_domains',
};
const AGENT: Keys = { text: 'description prompt', word: 'subagent_type model resume', flag: 'run_in_background' };
const THINK: Keys = {
  any: 'todos',
  text: 'subject description activeForm plan query',
  word: 'taskId status variant',
  flag: 'merge',
  number: 'max_results',
};

const TOOLS: readonly (readonly [kind: ToolKind, names: string, keys: Keys])[] = [
  ['execute', 'Bash bash execute run_shell_command run_terminal_command Monitor KillShell', EXECUTE],
  ['execute', 'shell', CODEX],
  ['read', 'Read NotebookRead read read_file', READ],
  ['edit', 'Write Edit MultiEdit NotebookEdit edit write multiedit replace write_file search_replace', EDIT],
  ['edit', 'patch apply_patch', PATCH],
  ['delete', 'delete', PATCH],
  ['move', 'move', { ...PATCH, path: `${PATHS} source destination old_path new_path` }],
  ['search', 'Glob LS glob list search list_directory', LIST],
  ['search', 'Grep grep search_file_content grep_search', GREP],
  ['fetch', 'WebFetch WebSearch webfetch websearch fetch', FETCH],
  ['agent', 'Task Agent task', AGENT],
  ['think', 'TodoWrite todowrite todo_write write_todos TaskCreate TaskUpdate', THINK],
  ['mode', 'ExitPlanMode EnterPlanMode', THINK],
  ['other', 'ToolSearch', THINK],
];

const BY_NAME: ReadonlyMap<string, KnownTool> = new Map(
  TOOLS.flatMap(([kind, names, keys]) => {
    const roles = Object.entries(keys).flatMap(([role, list]) =>
      list.split(' ').map((key) => [key, role as KeyRole] as const),
    );
    const wrapsLines = keys === CODEX ? { wrapsLines: true as const } : {};
    const tool: KnownTool = { kind, keys: new Map(roles), ...wrapsLines };
    return names.split(' ').map((name) => [name, tool] as const);
  }),
);

export const knownTool = (name: string): KnownTool | undefined => BY_NAME.get(name);

/** The keys of any tool that runs commands. */
export const COMMAND_TOOL: KnownTool = BY_NAME.get('execute')!;

/** The names of all of them, for tests and texts. */
export const knownToolNames = (): readonly string[] => [...BY_NAME.keys()];
