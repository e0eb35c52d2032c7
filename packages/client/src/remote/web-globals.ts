/** The part of the web's interfaces that is used here. Browsers, Node 22 and others provide them; only the types are missing. */

export interface WebSocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly readyState: number;
  send(data: Uint8Array): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
}

/** Node's own class also takes headers; in browsers the second argument can only be a list of subprotocols. */
type WebSocketClass = new (
  url: string,
  options?: readonly string[] | { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike;

interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

type Fetch = (
  url: string,
  options: {
    readonly method: 'HEAD';
    readonly headers: Readonly<Record<string, string>>;
    readonly redirect: 'manual';
    readonly signal: unknown;
  },
) => Promise<ResponseLike>;

export interface ParsedUrl {
  protocol: string;
  readonly hostname: string;
  readonly host: string;
  pathname: string;
  search: string;
  hash: string;
  readonly username: string;
  readonly password: string;
  toString(): string;
}

interface WebGlobals {
  readonly WebSocket?: WebSocketClass;
  readonly fetch: Fetch;
  readonly URL: new (text: string) => ParsedUrl;
  readonly performance: { now(): number };
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /** The document, only in browsers. */
  readonly document?: unknown;
}

export const web = globalThis as unknown as WebGlobals;
