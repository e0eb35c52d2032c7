/**
 * Shows a session's screen with more lines above it than the daemon keeps; the screen is made here, from the log. Keeps PAST-7.
 *
 * The log is read from an earlier offset, with the screen at that offset; if this does not give enough lines, from further back.
 */
import type { Client } from '@spool/client';
import { ScreenModel } from '@spool/screen';
import { timedOutput } from './timed-output.ts';

/** The first guess; if it gives too few lines, four times as much is read. */
const LINE_BYTES_GUESS = 100;
const BYTES_MIN = 1024 * 1024;

/** Returns the model of a session at an offset, with up to `lines` lines above its screen. */
export async function modelWithHistory(
  client: Client,
  session: string,
  offset: number,
  lines: number,
): Promise<ScreenModel> {
  const info = await client.get(session);
  const first = Math.min(info.firstOffset, offset);
  for (let bytes = Math.max(BYTES_MIN, lines * LINE_BYTES_GUESS); ; bytes *= 4) {
    const from = Math.max(first, offset - bytes);
    const then = await client.screen(info.id, { at: { offset: from }, format: 'snapshot' });
    const model = new ScreenModel({ cols: then.cols, rows: then.rows }, { scrollback: lines });
    model.write(Buffer.from(then.content, 'base64'));
    for await (const item of timedOutput(client, info, { offset: then.offset, at: then.at })) {
      if ('offset' in item && (item.type === 'output' ? item.offset >= offset : item.offset > offset)) break;
      if (item.type === 'output') model.write(item.bytes.subarray(0, offset - item.offset));
      else if (item.type === 'resize') model.resize(item.cols, item.rows);
    }
    if (from === first || model.scrolledLines >= lines) return model;
    model.dispose();
  }
}
