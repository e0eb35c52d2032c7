/** `spool export`: writes a session as a recording, a web page or plain text. Keeps SHOW-8. */
import { printable } from '../output/printable.ts';
import type { Client } from '@spool/client';
import { isHeadless, type SessionInfo } from '@spool/protocol';
import { ExportFile } from '../recording/export-file.ts';
import { type ExportFormat, exportPlan } from '../recording/export-format.ts';
import { openClient, type VerbAction } from '../program.ts';
import { gapWords } from '../output/session-words.ts';
import { namedJson } from '../output/session-json.ts';
import { notice, printJson, writeText } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

type Write = (text: string) => Promise<void>;

const exportSession: VerbAction<'export'> = async ({ flags, operands }, program) => {
  const path = flags.output === '-' ? undefined : flags.output;
  const { format, isCompressed } = exportPlan({ ...flags, output: path });
  if (flags.json && path === undefined) throw new UsageError('--json requires --output FILE', 'export');
  await using client = await openClient(program);
  const session = await client.get(operands[0] ?? '');
  await using file = path === undefined ? null : new ExportFile(path, { mayReplace: flags.force, isCompressed });
  await file?.check();
  let characters = 0;
  const write: Write = async (text) => {
    characters += text.length;
    await (file ? file.write(text) : writeText(text));
  };
  if (isHeadless(session)) await writeAgent(client, session, format, write);
  else await WRITERS[format](client, session, write);
  await file?.end();
  if (flags.json) printJson({ ...namedJson(session), format, file: path, characters });
  return 0;
};

export default exportSession;

const WRITERS: {
  readonly [F in ExportFormat]: (client: Client, session: SessionInfo, write: Write) => Promise<void>;
} = {
  asciicast: (client, session, write) => writeAsciicast(client, session, write, 2),
  'asciicast-v3': (client, session, write) => writeAsciicast(client, session, write, 3),

  async html(client, session, write) {
    const { writeHtmlPage } = await import('../recording/html-page.ts');
    await writeHtmlPage(client, session, write);
  },

  async text(client, session, write) {
    const [{ printSeen }, { LineFilter }] = await Promise.all([
      import('../session-output/print-seen.ts'),
      import('../session-output/line-filter.ts'),
    ]);
    await printSeen(client, session, { from: 0, newFilter: () => new LineFilter({}), write });
  },
};

/** Writes the transcript of an agent without a terminal, which has no screen that a recording could play. */
async function writeAgent(client: Client, session: SessionInfo, format: ExportFormat, write: Write): Promise<void> {
  if (format !== 'text' && format !== 'html') {
    const hint = 'use --text or --html, or `spool events --agent --json` for its events';
    throw new UsageError(
      `${session.name} is an agent without a terminal, which no recording can play; ${hint}`,
      'export',
    );
  }
  const [{ printTranscript }, { HTML_STYLE, htmlLine, span }] = await Promise.all([
    import('../agents/transcript-output.ts'),
    import('@spool/render'),
  ]);
  if (format === 'text')
    return await printTranscript(client, session, { isFull: true, width: Infinity, colouring: 'none', write });
  // The page runs and loads nothing, whatever the agent's output contains.
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
  const title = htmlLine([span(printable(session.name))]);
  await write(`<!doctype html>\n<meta charset="utf-8">\n${policy}\n<title>${title}</title>\n`);
  await write(`<style>\n${HTML_STYLE}</style>\n<pre>\n`);
  await printTranscript(client, session, { isFull: true, width: Infinity, lineText: htmlLine, write });
  await write('</pre>\n');
}

async function writeAsciicast(client: Client, session: SessionInfo, write: Write, version: 2 | 3): Promise<void> {
  const [{ Asciicast }, { timedOutput }] = await Promise.all([
    import('../recording/asciicast.ts'),
    import('../session-output/timed-output.ts'),
  ]);
  const { startedAt, firstOffset } = session;
  const size = await firstSize(client, session);
  const cast = new Asciicast({ version, size, startedAt, hasTerminal: session.size !== null });
  await write(cast.header(session));
  for await (const item of timedOutput(client, session, { offset: firstOffset, at: startedAt })) {
    if (item.type === 'gap') notice(`spool: ${gapWords(item.from, item.to)}`);
    const line = cast.event(item);
    if (line !== '') await write(line);
  }
}

/** The size at the first byte, which may differ from the current size. */
async function firstSize(client: Client, session: SessionInfo): Promise<{ cols: number; rows: number }> {
  if (session.size === null) return { cols: 80, rows: 24 };
  return await client.screen(session.id, { at: { offset: session.firstOffset }, format: 'text' });
}
