/** `spool export`: writes a session as a recording, a web page or plain text. */
import type { Client } from '@spool/client';
import { SCROLLBACK_LINES, type SessionInfo } from '@spool/protocol';
import { ExportFile } from '../recording/export-file.ts';
import { openClient, type VerbAction } from '../program.ts';
import { gapWords } from '../output/session-words.ts';
import { namedJson } from '../output/session-json.ts';
import { notice, printJson, writeText } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

type Format = 'asciicast' | 'html' | 'text';
type Write = (text: string) => Promise<void>;

const exportSession: VerbAction<'export'> = async ({ flags, operands }, program) => {
  const formats = (['asciicast', 'html', 'text'] as const).filter((format) => flags[format]);
  if (flags.v2 && formats.length === 0) formats.push('asciicast');
  if (formats.length !== 1) throw new UsageError('choose one format: --asciicast, --html or --text', 'export');
  if (flags.v2 && formats[0] !== 'asciicast') throw new UsageError('--v2 requires --asciicast', 'export');
  if (flags.json && flags.output === undefined) throw new UsageError('--json requires --output FILE', 'export');
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  await using file = flags.output === undefined || flags.output === '-' ? null : new ExportFile(flags.output);
  let characters = 0;
  const write: Write = async (text) => {
    characters += text.length;
    await (file ? file.write(text) : writeText(text));
  };
  await WRITERS[formats[0]!](client, session, write, flags.v2);
  await file?.end();
  if (flags.json) printJson({ ...namedJson(session), format: formats[0], file: flags.output, characters });
  return 0;
};

export default exportSession;

const WRITERS: {
  readonly [F in Format]: (client: Client, s: SessionInfo, write: Write, isV2: boolean) => Promise<void>;
} = {
  async asciicast(client, session, write, isV2) {
    const [{ Asciicast }, { timedOutput }] = await Promise.all([
      import('../recording/asciicast.ts'),
      import('../session-output/timed-output.ts'),
    ]);
    const size = await firstSize(client, session);
    const cast = new Asciicast({
      version: isV2 ? 2 : 3,
      size,
      startedAt: session.startedAt,
      hasTerminal: session.size !== null,
    });
    await write(cast.header(session));
    for await (const item of timedOutput(client, session, { offset: session.firstOffset, at: session.startedAt })) {
      if (item.type === 'gap') notice(`spool: ${gapWords(item.from, item.to)}`);
      const line = cast.event(item);
      if (line !== '') await write(line);
    }
  },

  async html(client, session, write) {
    const { content } = await client.screen(session.id, { format: 'html', historyLines: SCROLLBACK_LINES });
    await write(/^\s*<!doctype/i.test(content) ? content : page(session.name, content));
  },

  async text(client, session, write) {
    const [{ printSeen }, { LineFilter }] = await Promise.all([
      import('../session-output/print-seen.ts'),
      import('../session-output/line-filter.ts'),
    ]);
    await printSeen(client, session, { from: 0, newFilter: () => new LineFilter({}), write });
  },
};

/** The size at the first byte, which may differ from the current size. */
async function firstSize(client: Client, session: SessionInfo): Promise<{ cols: number; rows: number }> {
  if (session.size === null) return { cols: 80, rows: 24 };
  return await client.screen(session.id, { at: { offset: session.firstOffset }, format: 'text' });
}

function page(title: string, content: string): string {
  const safe = title.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${safe}</title>\n<body style="background:#000;color:#e5e5e5">\n${content}\n`;
}
