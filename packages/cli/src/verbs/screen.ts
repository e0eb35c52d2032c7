/** `spool screen`: prints the screen of a session, now or at an earlier time. */
import type { Client, RequestClient, Screen } from '@spool/client';
import { SCROLLBACK_LINES, type ScreenFormat } from '@spool/protocol';
import { type LogPlace, logPlaceOf } from '../command-line/log-place.ts';
import { openClient, openForRequests, type VerbAction } from '../program.ts';
import { namedJson } from '../output/session-json.ts';
import { missingWords } from '../output/session-words.ts';
import { isTerminal, notice, print, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

const FORMATS: ReadonlySet<string> = new Set<ScreenFormat>(['text', 'ansi', 'html', 'json']);

const screen: VerbAction<'screen'> = async ({ flags, operands }, program) => {
  const format = flags.format ?? 'text';
  if (!FORMATS.has(format))
    throw new UsageError(`--format ${JSON.stringify(format)} is invalid; use ${[...FORMATS].join(', ')}`, 'screen');
  const at = flags.at === undefined ? undefined : logPlaceOf(flags.at, '--at', 'screen');
  const wantsAll = flags.history === Infinity;
  if (wantsAll && (flags.json || format === 'json'))
    throw new UsageError('--history all cannot be printed as JSON; use spool logs --json', 'screen');
  if (wantsAll) {
    const { printWhole } = await import('../session-output/whole-screen.ts');
    await using client = await openClient(program);
    await printWhole(client, operands[0] ?? '', { at, format: format as 'text' | 'ansi' | 'html' });
    return 0;
  }
  const asked = { at, format: format as ScreenFormat, historyLines: flags.history };
  // The daemon keeps `SCROLLBACK_LINES` above a screen; more are read from the log here.
  const isLong = (flags.history ?? 0) > SCROLLBACK_LINES;
  await using client: RequestClient = isLong ? await openClient(program) : await openForRequests(program);
  const shown = isLong
    ? await longScreen(client as Client, operands[0] ?? '', asked)
    : await client.screen(operands[0] ?? '', asked);
  if (!shown.isExact) notice('spool: the session prints too fast to follow; this screen may be slightly out of date');
  if (shown.missingBytes) notice(`spool: ${missingWords(shown.missingBytes)}`);
  if (flags.json) {
    const content: unknown = format === 'json' ? JSON.parse(shown.content) : shown.content;
    printJson({ ...namedJson(await client.get(shown.id)), ...shown, content });
  } else if (format === 'ansi' && isTerminal(1)) await showAnsi(shown.content.trimEnd());
  else print(format === 'text' ? shown.content.trimEnd() : shown.content);
  return 0;
};

export default screen;

interface ScreenQuery {
  readonly at: LogPlace | undefined;
  readonly format: ScreenFormat;
  readonly historyLines: number | undefined;
}

async function longScreen(client: Client, session: string, asked: ScreenQuery): Promise<Screen> {
  const { at, format, historyLines = 0 } = asked;
  const [{ modelWithHistory }, { renderAnsi, renderHtml, renderJson, renderText }] = await Promise.all([
    import('../session-output/long-history.ts'),
    import('@spool/screen'),
  ]);
  const then = await client.screen(session, { at, format: 'text' });
  using model = await modelWithHistory(client, then.id, then.offset, historyLines);
  const options = { history: historyLines };
  if (format === 'json') return { ...then, content: JSON.stringify(renderJson(model, options)) };
  const render = { ansi: renderAnsi, html: renderHtml, text: renderText, snapshot: renderText }[format];
  return { ...then, content: render(model, options) };
}

/** The content is untrusted: only drawing sequences reach this terminal, and its state is restored. */
async function showAnsi(content: string): Promise<void> {
  const { SessionOutput } = await import('../session-output/session-output.ts');
  {
    using output = new SessionOutput(1);
    await output.write(Buffer.from(content));
  }
  print('');
}
