/** What the SDK needs from a browser: a WebSocket to this page's gateway, time and randomness. */
import type { AbortSignalLike, Runtime, Transport } from '@spool/client';

/** A phone that wakes up may hold a socket that never opens and never fails. */
const CONNECT_MS_MAX = 5_000;

/** A socket that was silent for this long while the page slept is not trusted: a new one costs less than waiting. */
const SILENT_MS_MAX = 20_000;

export interface LinkListener {
  onOpen(): void;
  onClose(): void;
}

export interface BrowserRuntime extends Runtime {
  /** The page woke up: closes a socket that may be dead, so that another is dialled at once. */
  check(): void;
}

export function browserRuntime(url: string, listener: LinkListener): BrowserRuntime {
  let current: { readonly socket: WebSocket; heardAt: number } | null = null;
  return {
    async dial(signal) {
      const socket = await open(url, signal);
      const mine = { socket, heardAt: Date.now() };
      current = mine;
      listener.onOpen();
      return transportOf(socket, {
        onHeard: () => (mine.heardAt = Date.now()),
        onClose: () => {
          if (current === mine) current = null;
          listener.onClose();
        },
      });
    },
    check() {
      if (current !== null && Date.now() - current.heardAt > SILENT_MS_MAX) current.socket.close();
    },
    sleep,
    now: () => Date.now(),
    randomId,
  };
}

function open(url: string, signal?: AbortSignalLike): Promise<WebSocket> {
  return new Promise((opened, failed) => {
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    const giveUp = (why: string): void => {
      clearTimeout(timer);
      socket.close();
      failed(new Error(why));
    };
    const timer = setTimeout(() => giveUp('the gateway did not answer in time'), CONNECT_MS_MAX);
    signal?.addEventListener('abort', () => giveUp('aborted'));
    socket.onerror = () => giveUp('the gateway is not reachable');
    socket.onopen = () => {
      clearTimeout(timer);
      opened(socket);
    };
  });
}

function transportOf(socket: WebSocket, own: { onHeard(): void; onClose(): void }): Transport {
  const transport: Transport = {
    send: (bytes) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes as Uint8Array<ArrayBuffer>);
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    drained: async () => {
      while (socket.readyState === WebSocket.OPEN && socket.bufferedAmount > 0) await sleep(DRAIN_POLL_MS);
    },
    close: () => socket.close(),
    onData: () => {},
    onClose: () => {},
  };
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    own.onClose();
    transport.onClose();
  };
  socket.onerror = null;
  socket.onmessage = ({ data }) => {
    own.onHeard();
    transport.onData(new Uint8Array(data as ArrayBuffer));
  };
  // `close` of a dead link may be reported minutes later: once we gave it up, it is over.
  transport.close = () => {
    socket.close();
    end();
  };
  socket.onclose = end;
  return transport;
}

/** Browsers have no event for an empty send buffer. */
const DRAIN_POLL_MS = 16;

function sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      done();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish);
  });
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ID_CHARACTERS = `${LETTERS}0123456789`;

function randomId(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return [...random].map((byte, at) => (at === 0 ? LETTERS[byte % 26] : ID_CHARACTERS[byte % 36])).join('');
}
