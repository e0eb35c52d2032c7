/** The painted window has every line of any request of an agent, or says exactly how many are missing. */
import type { AgentEvent } from '@spool/protocol/agent';
import { type AgentRequestEvent, plainText, Transcript } from '@spool/render';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askDocument } from './ask-panel.ts';
import { TextInput } from '../../tui/text-input.ts';
import { AgentPainter, type AgentPicture } from './picture.ts';

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 80, rows: 12 },
  { cols: 40, rows: 12 },
] as const;

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u001b[2J', '\n', '\n\n\n', '\u202e', '\u200b', '\t', '… 3 more lines', '漢字', 'x'.repeat(100)),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const input = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 6 }), fc.integer()), { maxKeys: 5 });
const options = fc.array(
  fc.record({
    id: text,
    label: text,
    kind: fc.constantFrom('allow_once', 'allow_always', 'reject_once', 'other'),
  }),
  { maxLength: 6 },
);

function pictureOf(ask: AgentRequestEvent, readingTop: number | null): AgentPicture {
  const transcript = new Transcript();
  transcript.take(ask as AgentEvent);
  return {
    name: 'bob',
    transcript,
    editor: new TextInput(),
    scrolled: 0,
    ask,
    isAnswering: true,
    writing: null,
    isReadOnly: false,
    isFull: false,
    readingTop,
    unconfirmed: null,
    sending: [],
    notice: null,
    isLoading: false,
    detachKey: '',
    now: 0,
  };
}

const CASE = fc.tuple(input, options, text).map(
  ([members, offered, name]) =>
    ({
      kind: 'permission.requested',
      request: 'r',
      name,
      title: name,
      input: members,
      options: offered,
    }) as unknown as AgentRequestEvent,
);

test('[SHOW-10, REQ-40] the panel shows the first lines and counts the others exactly, the keys are there, nothing acts', () => {
  fc.assert(
    fc.property(CASE, fc.constantFrom(...SIZES), (ask, size) => {
      const { lines: painted, request } = new AgentPainter().paint(pictureOf(ask, null), size);
      const lines = painted.map((line) => plainText(line).trimEnd());
      const document = askDocument(ask, size.cols - 1).lines.map(plainText);
      expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e\u200b]/u);
      const start = lines.length - 1 - lines.toReversed().findIndex((line) => line.startsWith('? Allow'));
      const shown = lines.slice(start, start + request!.to);
      expect(shown.map((line) => line.trimEnd())).toEqual(document.slice(0, request!.to).map((line) => line.trimEnd()));
      const hidden = document.length - request!.to;
      const count = lines[start + request!.to]!;
      if (hidden > 0) expect(count).toMatch(new RegExp(`^ {2}… ${hidden} more lines?, Ctrl-O shows (?:them|it)$`));
      else expect(count).not.toMatch(/Ctrl-O shows/);
      // The key that denies is there in any case.
      expect(lines.slice(start + request!.to).join('\n')).toMatch(/ n( deny| |\n)/);
    }),
    { numRuns: 300 },
  );
});

test('[SHOW-10, REQ-1] page by page, the whole window shows every line', () => {
  fc.assert(
    fc.property(CASE, fc.constantFrom(...SIZES), (ask, size) => {
      const painter = new AgentPainter();
      const document = askDocument(ask, size.cols - 1).lines.map((line) => plainText(line).trimEnd());
      const seen: string[] = [];
      while (seen.length < document.length) {
        const { lines, request } = painter.paint(pictureOf(ask, seen.length), size);
        expect(request!.from).toBeLessThanOrEqual(seen.length);
        expect(request!.to).toBeGreaterThan(seen.length);
        const page = lines.slice(0, request!.to - request!.from).map((line) => plainText(line).trimEnd());
        seen.push(...page.slice(seen.length - request!.from));
        expect(lines).toHaveLength(size.rows);
      }
      expect(seen).toEqual(document);
    }),
    { numRuns: 200 },
  );
});
