/**
 * The catalogue of milestones: the lines of tools that are milestones. The built-in files (`catalogue/*.json`) and users' files
 * have the same form and go through the same checks. A bad entry is reported with its file and name; the others count. Keeps
 * TASK-5, with `milestone-reader.ts`.
 *
 * A file is about one tool: `{ "tool": "vite", "start": PATTERN, "milestones": [ENTRY, …] }`. A line that matches
 * `start` begins a new run of the tool. A user's file replaces the built-in file about the same tool.
 */
import { OWN_FILES } from './own-files.ts';
import { type CataloguePattern, readCataloguePattern } from '../linear-pattern.ts';
import { TextFinder } from './text-finder.ts';
import { readTitle, type Title } from './title.ts';

/** An entry in the form of a file. */
export interface EntryData {
  /** Such as `vite-ready`. Several entries may share a name: the different messages of a tool. */
  readonly name: string;
  /**
   * The pattern. Groups `url`, `percent`, `done` and `total` have a meaning; `key` distinguishes several of a kind; any group may
   * be in the title.
   */
  readonly match: string;
  readonly title: string;
  /** The pattern of an earlier line, at most `within` lines (default: 100) ago; its groups count too. */
  readonly after?: string;
  readonly within?: number;
  /** The outcome of the tool's run. If the entry is not `once`, a new run begins with the next line. */
  readonly outcome?: 'ok' | 'failed';
  /** Whether it is reported once in a run, or once for each `key`. */
  readonly once?: boolean;
  /** Whether it is progress: reported when it has grown by 5 percent or more; the line may be unfinished. */
  readonly progress?: boolean;
}

export interface CatalogueEntry {
  readonly name: string;
  readonly match: CataloguePattern;
  readonly title: Title;
  readonly after: CataloguePattern | undefined;
  readonly within: number;
  readonly outcome: 'ok' | 'failed' | undefined;
  readonly isOnce: boolean;
  readonly isProgress: boolean;
}

export interface CatalogueTool {
  readonly name: string;
  readonly start: CataloguePattern | undefined;
  readonly entries: readonly CatalogueEntry[];
}

export interface Catalogue {
  /** The tools in the order in which they are tried: users' first. */
  readonly tools: readonly CatalogueTool[];
  /** Finds the tools that may match a line: for most lines of most logs none. */
  readonly finder: TextFinder<CatalogueTool>;
}

export interface CatalogueFile {
  /** The name of the file, for error messages. */
  readonly file: string;
  readonly text: string;
}

export const FILES_MAX = 64;
export const FILE_CHARACTERS_MAX = 256 * 1024;
export const ENTRIES_MAX = 200;
const TITLE_TEMPLATE_CHARACTERS_MAX = 200;
/** The limit of all required texts of users' patterns together: the finder's table takes up to 800 bytes for each. */
const NEEDED_CHARACTERS_MAX = 20_000;
/** The limit of one such text; its start is enough to search for. */
const NEEDED_TEXT_CHARACTERS_MAX = 24;
const WITHIN_LINES = 100;
const WITHIN_LINES_MAX = 100_000;

/** Reads the built-in files, and the users'. */
export function readCatalogue(userFiles: readonly CatalogueFile[] = []): {
  readonly catalogue: Catalogue;
  readonly errors: readonly string[];
} {
  const errors: string[] = [];
  const tools = new Map<string, CatalogueTool>();
  let neededCharacters = 0;
  if (userFiles.length > FILES_MAX)
    errors.push(`there are ${userFiles.length} files of milestones; only the first ${FILES_MAX} are read`);
  for (const { file, text } of userFiles.slice(0, FILES_MAX)) {
    const tool = readTool(file, text, errors);
    if (tool === undefined) continue;
    neededCharacters += needsOf(tool).reduce((sum, [text]) => sum + text.length, 0);
    if (tools.has(tool.name)) errors.push(`${file}: another file is about "${tool.name}" too; this one is not used`);
    else if (neededCharacters > NEEDED_CHARACTERS_MAX)
      errors.push(`${file}: there are too many milestones; this file is not used`);
    else tools.set(tool.name, tool);
  }
  for (const [file, data] of OWN_FILES) {
    const tool = checkTool(file, data, errors);
    if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  const all = [...tools.values()];
  return { catalogue: { tools: all, finder: new TextFinder(all.flatMap(needsOf)) }, errors };
}

function readTool(file: string, text: string, errors: string[]): CatalogueTool | undefined {
  if (text.length > FILE_CHARACTERS_MAX) {
    errors.push(`${file}: is longer than ${FILE_CHARACTERS_MAX} characters`);
    return undefined;
  }
  try {
    return checkTool(file, JSON.parse(text), errors);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    errors.push(`${file}: is not JSON (${error.message})`);
    return undefined;
  }
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME_RULE = 'must be a word of small letters, digits and hyphens';

function checkTool(file: string, data: unknown, errors: string[]): CatalogueTool | undefined {
  const say = (sentence: string): undefined => void errors.push(`${file}: ${sentence}`);
  if (!isRecord(data)) return say('must hold an object with "tool" and "milestones"');
  const { tool, start, milestones, ...rest } = data;
  if (typeof tool !== 'string' || !NAME.test(tool)) return say(`"tool" ${NAME_RULE}`);
  if (!Array.isArray(milestones)) return say('"milestones" must be a list');
  for (const field of Object.keys(rest)) say(`"${field}" is unknown`);
  if (milestones.length > ENTRIES_MAX) say(`only the first ${ENTRIES_MAX} of ${milestones.length} milestones are read`);

  const startPattern = start === undefined ? undefined : checkPattern(start);
  if (typeof startPattern === 'string') say(`"start" ${startPattern}`);
  const entries: CatalogueEntry[] = [];
  for (const [at, entry] of milestones.slice(0, ENTRIES_MAX).entries()) {
    const checked = checkEntry(entry);
    if (typeof checked !== 'string') entries.push(checked);
    else say(`milestone ${at + 1}${nameOf(entry)}: ${checked}`);
  }
  return { name: tool, start: typeof startPattern === 'string' ? undefined : startPattern, entries };
}

const FIELDS: ReadonlySet<string> = new Set<keyof EntryData>([
  'name',
  'match',
  'title',
  'after',
  'within',
  'outcome',
  'once',
  'progress',
]);

/** Returns the entry, or its error. */
function checkEntry(data: unknown): CatalogueEntry | string {
  if (!isRecord(data)) return 'must be an object';
  const unknown = Object.keys(data).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) return `"${unknown}" is unknown; use ${[...FIELDS].join(', ')}`;
  const { name, match, title, after, within = WITHIN_LINES, outcome, once = false, progress = false } = data;

  if (typeof name !== 'string' || !NAME.test(name)) return `"name" ${NAME_RULE}`;
  if (typeof title !== 'string' || title.length > TITLE_TEMPLATE_CHARACTERS_MAX)
    return `"title" must be text of at most ${TITLE_TEMPLATE_CHARACTERS_MAX} characters`;
  if (typeof within !== 'number' || !(within >= 1 && within <= WITHIN_LINES_MAX))
    return `"within" must be a number of lines up to ${WITHIN_LINES_MAX}`;
  if (outcome !== undefined && outcome !== 'ok' && outcome !== 'failed') return '"outcome" must be "ok" or "failed"';
  if (typeof once !== 'boolean' || typeof progress !== 'boolean') return '"once" and "progress" must be true or false';

  const matchPattern = checkPattern(match);
  if (typeof matchPattern === 'string') return `"match" ${matchPattern}`;
  const afterPattern = after === undefined ? undefined : checkPattern(after);
  if (typeof afterPattern === 'string') return `"after" ${afterPattern}`;

  const groups = new Set([...matchPattern.groups, ...(afterPattern?.groups ?? [])]);
  const readableTitle = readTitle(title);
  const missing = [...readableTitle.groups].find((group) => !groups.has(group));
  if (missing !== undefined) return `"title" asks for {${missing}}, which is not a group of the pattern`;
  if (progress && !groups.has('percent') && !(groups.has('done') && groups.has('total')))
    return 'a progress needs a group "percent", or "done" and "total"';
  return {
    name,
    match: matchPattern,
    title: readableTitle,
    after: afterPattern,
    within,
    outcome,
    isOnce: once,
    isProgress: progress,
  };
}

function checkPattern(data: unknown): CataloguePattern | string {
  return typeof data === 'string' ? readCataloguePattern(data) : 'must be text';
}

function needsOf(tool: CatalogueTool): (readonly [string, CatalogueTool])[] {
  const patterns = [tool.start, ...tool.entries.flatMap(({ match, after }) => [match, after])];
  return patterns.flatMap(
    (pattern) => pattern?.needs.map((text) => [text.slice(0, NEEDED_TEXT_CHARACTERS_MAX), tool] as const) ?? [],
  );
}

function nameOf(entry: unknown): string {
  return isRecord(entry) && typeof entry['name'] === 'string' ? ` (${entry['name'].slice(0, 60)})` : '';
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
