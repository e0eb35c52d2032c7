/**
 * Reads the messages of the client line by line, before the library does. A request that is not well formed gets an answer, which the
 * library would only report on stderr, and a line that is too long is skipped instead of ending the server. Keeps MCP-13.
 */
import { PassThrough } from 'node:stream';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { type FramedLine, LineFraming } from '@spool/protocol/line-framing';

/** The maximum length of a line: more than any input that the daemon takes. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** The beginning of a long line, in which its id is searched for. */
const HEAD_BYTES = 1024;
const ID_CHARACTERS_MAX = 200;
const ID = /"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,15})/;

const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

type MessageId = string | number;

export class InputLines {
  /** The lines that are messages, for the library. */
  readonly stream = new PassThrough();
  readonly #answer: (message: object) => void;
  readonly #lines = new LineFraming({ bytesMax: LINE_BYTES_MAX, overlong: () => new LineHead() });

  constructor(answer: (message: object) => void) {
    this.#answer = answer;
  }

  take(bytes: Uint8Array): void {
    for (const line of this.#lines.push(bytes)) this.#takeLine(line);
  }

  /** Called when the client has closed its end. */
  end(): void {
    this.stream.end();
  }

  #takeLine(line: FramedLine): void {
    if (line.length > LINE_BYTES_MAX) {
      const id = idIn(line.head(HEAD_BYTES));
      return this.#refuse(id, INVALID_REQUEST, `the message has more than ${LINE_BYTES_MAX} bytes; nothing was done`);
    }
    const { text } = line;
    const message = parsed(text);
    const id = idOf(message);
    if (id === null || isMessage(message)) this.stream.write(`${text}\n`);
    else if ((message as { method?: unknown }).method === undefined) this.stream.write(`${text}\n`);
    else if (!isObjectOrNone((message as { params?: unknown }).params))
      this.#refuse(id, INVALID_PARAMS, 'params must be an object; nothing was done');
    else this.#refuse(id, INVALID_REQUEST, 'this is not a request of JSON-RPC 2.0; nothing was done');
  }

  #refuse(id: MessageId | null, code: number, message: string): void {
    if (id !== null) this.#answer({ jsonrpc: '2.0', id, error: { code, message } });
    else process.stderr.write(`spool mcp: ${message}\n`);
  }
}

/** Keeps the beginning of a line that is too long. */
class LineHead {
  #bytes = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    if (this.#bytes.length < HEAD_BYTES)
      this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(0, HEAD_BYTES - this.#bytes.length)]);
  }

  end(): Uint8Array {
    return this.#bytes;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the library reports it
  }
}

function isMessage(message: unknown): boolean {
  try {
    parseJSONRPCMessage(message);
    return true;
  } catch {
    return false;
  }
}

/** Returns the id of a message if it is one that an answer can have. */
function idOf(message: unknown): MessageId | null {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const { id } = message as { readonly id?: unknown };
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
  return typeof id === 'string' && id.length <= ID_CHARACTERS_MAX ? id : null;
}

function idIn(head: string): MessageId | null {
  const found = ID.exec(head)?.[1];
  return found === undefined ? null : idOf({ id: parsed(found) });
}

const isObjectOrNone = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
