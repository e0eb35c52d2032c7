/**
 * Reads the input of a tool key by key. Each key of a known tool must be one of that tool's keys and hold a fitting value; anything
 * else is a doubt. For another tool, only keys that certainly name files are read; any other text may be anything. Keeps POL-7.
 */
import { isObject, type JsonObject, objectOf } from '../json-value.ts';
import type { KeyRole, KnownTool } from './known-tools.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const PATH_KEYS = words('file_path notebook_path filePath filepath path paths absolute_path dir_path');
/** Matches words in the name of a key that holds a file or a folder: a second check, for values that look like plain words. */
const FILE_WORDS = words(
  'path paths file files filename filenames filepath dir dirs directory directories folder folders cwd workdir root roots location ' +
    'locations target targets destination dest source src uri uris',
);
/** Matches a text that is neither a path out of the folder nor an address, however the tool uses it. */
const PLAIN_TEXT = /^(?!\.)[\p{L}\p{N} ,;:!?'"()+=_.@#%-]*$/u;
/** Matches a word of a protocol: a name or a number, and not a path. */
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9_., -]{0,63}$/;
/**
 * Matches names of files below a folder, with `*`, `?` and alternatives in braces: no `..`, and no alternative that begins at the
 * root.
 */
const PATTERN_BELOW = /^(?!.*\.\.)(?!(?:.*[{,])?[/~])[\p{L}\p{N}_ .*?@+,{}/-]*$/u;

const DEPTH_MAX = 20;

export class InputReading {
  readonly paths: string[] = [];
  readonly possiblePaths: string[] = [];
  /** The texts under unknown keys. */
  readonly texts: string[] = [];
  readonly doubts: string[] = [];
  /** The folder in which a command runs, according to the input. */
  folder: string | undefined;
  readonly #tool: KnownTool | undefined;

  constructor(tool: KnownTool | undefined) {
    this.#tool = tool;
  }

  doubt(sentence: string): void {
    if (!this.doubts.includes(sentence)) this.doubts.push(sentence);
  }

  read(input: JsonObject): void {
    for (const [key, value] of Object.entries(input)) {
      if (this.#tool?.kind === 'execute' && key === 'command') continue;
      const role = this.#tool?.keys.get(key);
      if (role !== undefined) this.#known(key, role, value);
      else this.#unknown(key, value, 0);
    }
  }

  #known(key: string, role: KeyRole, value: unknown): void {
    if (value === null || value === undefined || role === 'any') return;
    if (role === 'path') this.#file(value, 0);
    else if (role === 'folder') this.#folder(value);
    else if (role === 'locations') this.#locations(value, this.paths);
    else if (role === 'mentions') this.#locations(value, this.possiblePaths);
    else if (role === 'edits') this.#edits(key, value);
    else if (!hasForm(role, value)) {
      this.doubt(`the key ${JSON.stringify(key)} holds something else than it should`);
      this.#texts(key, value, 0);
    }
  }

  #folder(value: unknown): void {
    if (typeof value !== 'string' || value === '' || this.folder !== undefined)
      this.doubt('the folder of the command cannot be known');
    else this.folder = value;
  }

  #locations(value: unknown, paths: string[]): void {
    for (const item of listed(value)) {
      const { path, line = 0, ...rest } = objectOf(item);
      if (typeof path === 'string' && hasForm('number', line ?? 0) && Object.keys(rest).length === 0) paths.push(path);
      else {
        this.doubt('the locations of the request are not understood');
        this.#texts('locations', item, 0);
      }
    }
  }

  /** Reads several changes of one file, each of which has only texts. */
  #edits(key: string, value: unknown): void {
    if (!Array.isArray(value)) return this.#unknown(key, value, 0);
    for (const item of value) {
      if (!isObject(item)) this.#unknown(key, item, 1);
      else
        for (const [inner, held] of Object.entries(item)) {
          const role = this.#tool?.keys.get(inner);
          if (role === 'text' || role === 'flag' || role === 'path') this.#known(inner, role, held);
          else this.#unknown(inner, held, 1);
        }
    }
  }

  #unknown(key: string, value: unknown, depth: number): void {
    if (this.#tool) this.doubt(`the key ${JSON.stringify(key.slice(0, 100))} of this tool is not known`);
    else if (depth === 0 && PATH_KEYS.has(key)) return this.#file(value, 0);
    this.#texts(key, value, depth);
  }

  /** Examines everything in an unknown value. */
  #texts(key: string, value: unknown, depth: number): void {
    if (depth > DEPTH_MAX) return this.doubt('the input is nested too deeply');
    if (!/^[\w-]*$/.test(key)) this.#text('', key);
    if (Array.isArray(value)) for (const item of value) this.#texts(key, item, depth + 1);
    else if (isObject(value)) for (const [inner, item] of Object.entries(value)) this.#texts(inner, item, depth + 1);
    else if (typeof value === 'string') this.#text(key, value);
  }

  #text(key: string, value: string): void {
    this.texts.push(value);
    const isFileKey = key.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((part) => FILE_WORDS.has(part.toLowerCase()));
    if (isFileKey) this.doubt(`the key ${JSON.stringify(key)} may name a file, and is not known`);
    else if (!PLAIN_TEXT.test(value)) this.doubt(`the text ${JSON.stringify(value.slice(0, 100))} may name a file`);
    if (isFileKey || /[/\\]|^[~.$]/.test(value)) this.possiblePaths.push(value);
  }

  #file(value: unknown, depth: number): void {
    if (typeof value === 'string') {
      this.paths.push(value);
      if (!this.#tool && /[*?[\]{}]/.test(value)) this.doubt('the path of the request may be a pattern');
    } else if (Array.isArray(value) && depth === 0) for (const item of value) this.#file(item, depth + 1);
    else if (value !== null && value !== undefined) this.doubt('the path of the request is not a text');
  }
}

/** Returns whether a value has the form that its key requires. */
function hasForm(role: KeyRole, value: unknown): boolean {
  switch (role) {
    case 'text':
      return typeof value === 'string';
    case 'word':
      return typeof value === 'string' && PLAIN_WORD.test(value);
    case 'pattern':
      return listed(value).every((item) => typeof item === 'string' && PATTERN_BELOW.test(item));
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'number':
      return typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}$/.test(value));
    case 'flag':
      return typeof value === 'boolean' || value === 'true' || value === 'false';
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s\\]+$/i.test(value);
    case 'content':
      return typeof value === 'string' || isBlocks(value);
    case 'blocks':
      return isBlocks(value);
    case 'command':
      return value === 'command';
    case 'local':
      return value === 'local';
    default:
      return false;
  }
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Returns the texts that an agent over ACP shows beside its request. */
function isBlocks(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => {
      const { type, content, ...rest } = objectOf(item);
      const { type: inner, text, ...others } = objectOf(content);
      const isBare = Object.keys(rest).length === 0 && Object.keys(others).length === 0;
      return type === 'content' && inner === 'text' && typeof text === 'string' && isBare;
    })
  );
}
