import { beforeAll, expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { quiet } from '../../test/quiet.ts';
import { type Attachment, type AttachItem, type AttachOptions, Client } from '../index.ts';

// Loaded before the tests: an attachment loads it on demand, and the fake clock does not count that time.
beforeAll(async () => void (await import('@spool/vt')));

/** Creates an attachment to a session without output, and collects its items. */
function attached(options: AttachOptions = {}): {
  keeper: FakeKeeper;
  attachment: Attachment;
  items: AttachItem[];
  print(text: string): Promise<void>;
} {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', '');
  const client = new Client(keeper);
  const attachment = client.attach('s', options);
  const items: AttachItem[] = [];
  void (async () => {
    for await (const item of attachment) items.push(item);
  })();
  return {
    keeper,
    attachment,
    items,
    async print(text) {
      await quiet(keeper);
      keeper.print(session, text);
      await quiet(keeper);
    },
  };
}

const textOf = (item: AttachItem): string => ('bytes' in item ? Buffer.from(item.bytes).toString('latin1') : '');

const modesIn = (items: readonly AttachItem[]): AttachItem[] => items.filter(({ type }) => type === 'modes');

test('[ATT-11] modes are told after each snapshot and at each change, with the offset at which they hold', async () => {
  const { keeper, attachment, items, print } = attached();
  await quiet(keeper);
  expect(items.map(({ type }) => type)).toEqual(['snapshot', 'modes', 'synced']);
  expect(items[1]).toMatchObject({ offset: 0, applicationCursor: false, bracketedPaste: false, mouse: 'none' });
  await print('plain text');
  await print('\x1b[?1h and \x1b[?200');
  await print('4h');
  await print('\x1b[?25l\x1b[?2026h a frame \x1b[?2026l\x1b[?25h'); // no change that concerns a viewer
  expect(modesIn(items).slice(1)).toMatchObject([
    { offset: 26, applicationCursor: true, bracketedPaste: false },
    { offset: 28, applicationCursor: true, bracketedPaste: true },
  ]);
  // A snapshot starts from scratch: this one sets nothing.
  keeper.snapshot([...keeper.watchers][0]!);
  await quiet(keeper);
  expect(items.slice(-2)).toMatchObject([{ type: 'snapshot' }, { type: 'modes', applicationCursor: false }]);
  attachment.close();
});

test('[ATT-11] an attachment that wants no modes gets none', async () => {
  const { attachment, items, print } = attached({ tellsModes: false });
  await print('\x1b[?1h');
  expect(modesIn(items)).toEqual([]);
  attachment.close();
});

test('[ATT-8] [ATT-16] by default, queries and what could harm a terminal are taken out, and offsets are still those of the log', async () => {
  const { attachment, items, print } = attached();
  const query = 'a\x1b[c\x1b[6n\x1b]11;?\x07\x1b]52;c;aGk=\x07b';
  await print(query);
  const last = items.findLast(({ type }) => type === 'output')!;
  expect(textOf(last)).toBe('ab');
  expect(last).toMatchObject({ offset: 0, end: query.length });
  expect(attachment.cursor).toBe(query.length);
  attachment.close();
});

test('[ATT-8] `none` passes every byte, and more can be allowed', async () => {
  const clipboard = '\x1b]52;c;aGk=\x07';
  const exact = attached({ filter: 'none' });
  await exact.print(`\x1b[c${clipboard}`);
  expect(textOf(exact.items.findLast(({ type }) => type === 'output')!)).toBe(`\x1b[c${clipboard}`);
  exact.attachment.close();
  const allowed = attached({ filter: { allowClipboard: true } });
  await allowed.print(`\x1b[c${clipboard}`);
  expect(textOf(allowed.items.findLast(({ type }) => type === 'output')!)).toContain(';aGk=');
  expect(textOf(allowed.items.findLast(({ type }) => type === 'output')!)).not.toContain('\x1b[c');
  allowed.attachment.close();
});

test('[ATT-4] a read-only viewer is told the modes, but its terminal is not made to send; leaving undoes what was set', async () => {
  const { attachment, items, print } = attached({ isReadOnly: true });
  await print('\x1b[?1000;1006h\x1b[?1049hx');
  const shown = items.findLast(({ type }) => type === 'output')!;
  expect(textOf(shown)).toBe('\x1b[?1049hx');
  expect(items.at(-1)).toMatchObject({ type: 'modes', mouse: 'click', mouseEncoding: 'sgr', alternateScreen: true });
  expect(Buffer.from(attachment.leave()).toString()).toContain('\x1b[?1049l');
  attachment.close();
});

test('[ATT-11] a viewer that continues at an offset has the modes of that offset', async () => {
  const keeper = new FakeKeeper();
  const { INITIAL_MODES } = await import('@spool/vt');
  const session = keeper.session('s', 'before');
  const modes = { ...INITIAL_MODES, applicationCursor: true };
  keeper.answers.screen = () => ({ content: JSON.stringify({ modes }) });
  const attachment = new Client(keeper).attach('s', { from: 6 });
  keeper.print(session, 'x\x1b[?2004h');
  const items: AttachItem[] = [];
  for await (const item of attachment) {
    items.push(item);
    if (item.type === 'modes') break;
  }
  expect(items.at(-1)).toMatchObject({ applicationCursor: true, bracketedPaste: true });
  expect(keeper.asked.find(({ op }) => op === 'screen')!.ask).toMatchObject({ at: { offset: 6 } });
});
