import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { quiet } from '../../test/quiet.ts';
import { type Attachment, type AttachOptions, Client } from '../index.ts';

async function attached(options: AttachOptions = {}): Promise<{
  keeper: FakeKeeper;
  attachment: Attachment;
  print(text: string): Promise<void>;
  typed(): string;
}> {
  const keeper = new FakeKeeper();
  const session = keeper.session('s', '');
  const attachment = new Client(keeper).attach('s', options);
  void (async () => {
    for await (const _ of attachment);
  })();
  await quiet(keeper);
  return {
    keeper,
    attachment,
    async print(text) {
      keeper.print(session, text);
      await quiet(keeper);
    },
    typed: () => [...keeper.typed.values()][0] ?? '',
  };
}

/** Replies of terminals to queries, and similar sequences of keys. */
const REPLIES = ['\x1b[24;80R', '\x1b[?62;22c', '\x1b[>1;10;0c', '\x1b]11;rgb:0000/0000/0000\x1b\\', '\x1b[?2026;2$y'];
const KEYS = ['a', '\r', '\x1b[A', '\x1bOA', '\x1b[1;2R', 'é', '\x1b[200~\x1b[24;80R\x1b[201~'];

test('[QRY-1] [ATT-16] what a terminal answers is not typed; its keys are, wherever the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...REPLIES, ...KEYS), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
      async (words, cuts) => {
        const { attachment, typed } = await attached();
        const bytes = Buffer.from(words.join(''));
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const length = cuts[cut % cuts.length]!;
          void attachment.type(bytes.subarray(at, at + length));
          at += length;
        }
        await attachment.settled();
        const keys = words.filter((word) => KEYS.includes(word)).join('');
        expect(typed()).toBe(Buffer.from(keys).toString('latin1'));
        attachment.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('Escape is a key when nothing follows it', async () => {
  const { keeper, attachment, typed } = await attached();
  await attachment.type('\x1b');
  for (let turn = 0; turn < 20 && typed() === ''; turn++) await keeper.clock.sleep(10);
  expect(typed()).toBe('\x1b');
  attachment.close();
});

test('[ATT-8] with the filter `none`, every byte is typed', async () => {
  const { attachment, typed } = await attached({ filter: 'none' });
  await attachment.type('\x1b[24;80R');
  await attachment.settled();
  expect(typed()).toBe('\x1b[24;80R');
  attachment.close();
});

test('[IN-5] keys of an attachment follow the modes that it has read, and a paste is bracketed, in the order of the calls', async () => {
  const { keeper, attachment, print, typed } = await attached();
  void attachment.keys(['Up']);
  void attachment.paste('a\nb');
  await attachment.settled();
  await print('\x1b[?1;2004h');
  void attachment.keys(['Up', 'End']);
  void attachment.paste('c\nd\x1b[A');
  void attachment.type('z');
  await attachment.settled();
  const { INITIAL_MODES, paste } = await import('@spool/vt');
  const pasted = Buffer.from(paste(Buffer.from('c\nd\x1b[A'), { ...INITIAL_MODES, bracketedPaste: true }));
  expect(typed()).toBe(`\x1b[Aa\rb\x1bOA\x1bOF${pasted.toString('latin1')}z`);
  expect(pasted.toString()).toMatch(/^\x1b\[200~.*\x1b\[201~$/s);
  expect(keeper.asked.some(({ op }) => op === 'screen')).toBe(false);
  await expect(attachment.keys(['Nonsense'])).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
  attachment.close();
});

test('[IN-5] before anything was read, the daemon says which modes the program has set; order is kept', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s', 'x');
  const { INITIAL_MODES } = await import('@spool/vt');
  const modes = { ...INITIAL_MODES, applicationCursor: true };
  keeper.answers.screen = () => ({ content: JSON.stringify({ modes }) });
  const attachment = new Client(keeper).attach('s', { filter: 'none' });
  void attachment.keys(['Up']);
  void attachment.type('z');
  await attachment.settled();
  expect([...keeper.typed.values()]).toEqual(['\x1bOAz']);
  attachment.close();
});

test('focus reports are not typed: they count together with those of the other viewers', async () => {
  const { keeper, attachment, typed } = await attached();
  await attachment.type('\x1b[Ix');
  await attachment.settled();
  await quiet(keeper);
  expect(typed()).toBe('x');
  expect(keeper.asked.findLast(({ op }) => op === 'view')!.ask).toMatchObject({ isFocused: true });
  attachment.close();
});

test('[ATT-7] a read-only viewer types nothing', async () => {
  const { attachment } = await attached({ isReadOnly: true });
  for (const typing of [attachment.type('a'), attachment.keys(['Up']), attachment.paste('a')])
    await expect(typing).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  attachment.close();
});
