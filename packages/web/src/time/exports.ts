/** Exports a session as a file: its text, its screen as HTML, or a recording (asciicast) for other players. */
import type { LogMarkInfo, SessionInfo } from '@spool/client';
import { client } from '../link/daemon.ts';

/** The maximum size for a page; `spool export` has no limit. */
const EXPORT_BYTES_MAX = 64 * 1024 * 1024;

export async function downloadText(session: SessionInfo): Promise<void> {
  const { offset } = await client.get(session.id);
  const parts: string[] = [];
  const from = Math.max(session.firstOffset, offset - EXPORT_BYTES_MAX);
  for await (const item of client.watchText(session.id, { from, ansi: 'text', chunking: 'line' })) {
    if (item.type !== 'text') break;
    parts.push(item.data);
    if (item.end >= offset) break;
  }
  save(`${session.name}.txt`, 'text/plain', parts.join(''));
}

export async function downloadHtml(session: SessionInfo, at: number): Promise<void> {
  const { content } = await client.screen(session.id, { at: { offset: at }, format: 'html' });
  save(`${session.name}.html`, 'text/html', content);
}

export async function downloadCast(session: SessionInfo): Promise<void> {
  const { offset, firstOffset } = await client.get(session.id);
  const from = Math.max(firstOffset, offset - EXPORT_BYTES_MAX);
  const marks: LogMarkInfo[] = [];
  for await (const mark of client.marks(session.id, { from })) marks.push(mark);
  const pieces: { offset: number; bytes: Uint8Array }[] = [];
  for await (const item of client.watch(session.id, { from })) {
    if (item.type === 'gap') continue;
    if (item.type !== 'output') break;
    pieces.push({ offset: item.offset, bytes: item.bytes.slice() });
    if (item.offset + item.bytes.length >= offset) break;
  }
  save(`${session.name}.cast`, 'application/x-asciicast', castOf(session, marks, pieces));
}

/** Returns asciicast v2: each piece has the time of the last mark before it. */
export function castOf(
  session: Pick<SessionInfo, 'size' | 'startedAt' | 'name'>,
  marks: readonly LogMarkInfo[],
  pieces: Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>,
): string {
  const { cols, rows } = session.size ?? { cols: 80, rows: 24 };
  const first = marks.find((mark) => mark.type === 'resize');
  const header = {
    version: 2,
    width: first?.type === 'resize' ? first.cols : cols,
    height: first?.type === 'resize' ? first.rows : rows,
    timestamp: Math.floor(session.startedAt / 1000),
    title: session.name,
  };
  const lines = [JSON.stringify(header)];
  const decoder = new TextDecoder();
  let at = session.startedAt;
  let next = 0;
  const seconds = (): number => Math.max(0, at - session.startedAt) / 1000;
  const put = (bytes: Uint8Array): void => {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== '') lines.push(JSON.stringify([seconds(), 'o', text]));
  };
  for (const { offset, bytes } of pieces) {
    let done = 0;
    for (; next < marks.length && marks[next]!.offset <= offset + bytes.length; next++) {
      const mark = marks[next]!;
      const upTo = Math.max(done, mark.offset - offset);
      // A time belongs to the bytes before it.
      if (mark.type === 'time') at = Math.max(at, mark.at);
      put(bytes.subarray(done, upTo));
      done = upTo;
      at = Math.max(at, mark.at);
      if (mark.type === 'resize' && mark !== first)
        lines.push(JSON.stringify([seconds(), 'r', `${mark.cols}x${mark.rows}`]));
    }
    put(bytes.subarray(done));
  }
  return `${lines.join('\n')}\n`;
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
