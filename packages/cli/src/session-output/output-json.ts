/** Watch items as NDJSON: text instead of bytes, decoded across chunks, with the offsets of the bytes. */
import type { WatchItem } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { namedJson } from '../output/session-json.ts';
import { jsonText } from '../output/json-text.ts';

export class OutputJson {
  readonly #session: { readonly id: string; readonly name: string };
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  constructor(session: Pick<SessionInfo, 'id' | 'name'>) {
    this.#session = namedJson(session);
  }

  /** Returns a line with its newline, or '' for internal items. */
  line(item: WatchItem): string {
    switch (item.type) {
      case 'output': {
        const data = this.#decoders[item.stream].decode(item.bytes, { stream: true });
        const { offset, stream } = item;
        return json({ type: 'output', ...this.#session, offset, bytes: item.bytes.length, stream, data });
      }
      case 'synced':
      case 'reconnected':
        return '';
      default:
        return json({ ...item, ...this.#session });
    }
  }
}

function json(value: object): string {
  return `${jsonText(value)}\n`;
}
