/** Reads the lines of a gateway about its nodes: an answer, then the news. */
import { fromWireError, type NodeNews, SpoolError, type WireError } from '@spool/protocol';
import type { AbortSignalLike, Transport } from '../link/runtime.ts';
import { Funnel } from './funnel.ts';

/** The maximum length of a line: the sessions of one node. */
const LINE_CHARS_MAX = 64 * 1024 * 1024;

interface Decoder {
  decode(bytes: Uint8Array, options: { readonly stream: true }): string;
}

/** Every runtime has it; only its type is missing here. */
const { TextDecoder } = globalThis as unknown as { readonly TextDecoder: new () => Decoder };

/** Yields the news that arrive on a transport, and closes it at the end. Throws CONNECTION_LOST when it breaks. */
export async function* newsOn(transport: Transport, signal?: AbortSignalLike): AsyncGenerator<NodeNews, void> {
  const funnel = new Funnel<NodeNews>();
  const decoder = new TextDecoder();
  let text = '';
  const onAbort = (): void => transport.close();
  signal?.addEventListener('abort', onAbort);
  transport.onClose = () => funnel.end(signal?.aborted === true ? undefined : new SpoolError('CONNECTION_LOST'));
  transport.onData = (chunk) => {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    try {
      if (text.length > LINE_CHARS_MAX) throw new SpoolError('ANSWER_TOO_LARGE');
      for (const line of lines) {
        const said = JSON.parse(line) as NodeNews | { readonly ok: object } | { readonly error: WireError };
        if ('error' in said) throw fromWireError(said.error);
        if (!('ok' in said)) void funnel.put(said);
      }
    } catch (error) {
      funnel.end(error);
    }
  };
  if (signal?.aborted === true) onAbort();
  try {
    yield* funnel;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    transport.close();
  }
}
