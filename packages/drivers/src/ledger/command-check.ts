/**
 * Checks a command before a dialect sees it. The keeper accepts only valid ones, but a log may contain commands that an older
 * keeper did not check: they are refused here, and never make a driver fail. The table has the rules of `AGENT_COMMAND_SCHEMA`,
 * without zod, which would cost each driver 9 MB; a property test compares the two. Keeps DRV-17.
 */
import {
  AGENT_ID_CHARS_MAX,
  CLIENT_ID_CHARS_MAX,
  type Command,
  DATA_CHARS_MAX,
  DIGEST_CHARS_MAX,
  MIME_CHARS_MAX,
  PARTS_MAX,
  SLASH_NAME,
  TEXT_CHARS_MAX,
  URI_CHARS_MAX,
} from '@spool/protocol/agent';
import { isObject, type JsonObject } from '../json-value.ts';

type Check = (value: unknown) => boolean;

/** The required and the optional fields of an object. */
interface Fields {
  readonly needed: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
}

const textOf =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max;

const wordOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

const anything: Check = () => true;
const flag: Check = (value) => typeof value === 'boolean';
const text = textOf(0, TEXT_CHARS_MAX);
const uri = textOf(0, URI_CHARS_MAX);
const mime = textOf(0, MIME_CHARS_MAX);
const clientId = textOf(1, CLIENT_ID_CHARS_MAX);
const id = textOf(1, AGENT_ID_CHARS_MAX);
const digest = textOf(1, DIGEST_CHARS_MAX);
const slashName: Check = (value) => typeof value === 'string' && SLASH_NAME.test(value);

/** It searches for a wrong character, because an expression that matches all of 12 MiB would exhaust the stack. */
const data: Check = (value) =>
  typeof value === 'string' &&
  value.length <= DATA_CHARS_MAX &&
  value.length % 4 === 0 &&
  !/[^0-9A-Za-z+/]/.test(value.replace(/={1,2}$/, ''));

const PARTS: Readonly<Record<string, Fields>> = {
  text: { needed: { text } },
  image: { needed: { mime }, optional: { data, uri } },
  resource: { needed: { uri }, optional: { mime, text } },
  other: { needed: { value: anything } },
};

const content: Check = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= PARTS_MAX &&
  value.every((part) => isObject(part) && faultIn(part, 'type', PARTS) === null);

const COMMANDS: Readonly<Record<Command['do'], Fields>> = {
  prompt: { needed: { content, clientId }, optional: { when: wordOf('now', 'next', 'queue') } },
  editPrompt: { needed: { clientId, content } },
  movePrompt: { needed: { clientId }, optional: { before: clientId } },
  cancelPrompt: { needed: { clientId } },
  sendPrompt: { needed: { clientId } },
  interrupt: { needed: {}, optional: { alsoQueued: flag } },
  permission: {
    needed: { request: id },
    optional: {
      digest,
      option: id,
      behavior: wordOf('allow', 'deny'),
      input: anything,
      message: text,
      interrupt: flag,
      once: flag,
    },
  },
  answer: { needed: { request: id }, optional: { digest, answers: isObject } },
  setMode: { needed: { mode: id } },
  setModel: { needed: { model: id } },
  slash: { needed: { name: slashName }, optional: { args: text, clientId } },
  toolOutput: { needed: { tool: id } },
  background: { needed: {}, optional: { tool: id } },
  stopTask: { needed: { task: id } },
  close: { needed: {} },
};

/** Returns the fault of a command in words; null for a valid one. */
export function commandFault(command: unknown): string | null {
  if (!isObject(command)) return 'a command is an object';
  return faultIn(command, 'do', COMMANDS);
}

/** Returns the fault of an object; the field `tag` selects its shape. */
function faultIn(value: JsonObject, tag: string, shapes: Readonly<Record<string, Fields>>): string | null {
  const name = Object.hasOwn(value, tag) ? value[tag] : undefined;
  if (typeof name !== 'string' || !Object.hasOwn(shapes, name)) return `${tag} is not known`;
  const { needed, optional = {} } = shapes[name]!;
  for (const [key, isValid] of Object.entries(needed))
    if (!Object.hasOwn(value, key) || !isValid(value[key])) return `${key} is missing or not valid`;
  for (const key of Object.keys(value)) {
    if (key === tag || Object.hasOwn(needed, key)) continue;
    if (!Object.hasOwn(optional, key)) return `there is a field that it does not have`;
    if (value[key] !== undefined && !optional[key]!(value[key])) return `${key} is not valid`;
  }
  return null;
}
