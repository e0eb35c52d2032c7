/** Tests that the lines of any input can be read back, so that no part of it is missing, doubled or forged. */
import { visible } from '@spool/protocol/visible-text';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineWidth, plainText } from '../lines.ts';
import { joinCommand } from './values.ts';
import { fitLines, type ShownPermission, requestLines } from './request-lines.ts';

const NASTY = [
  ...['\u001b[2J', '\u001b]0;x\u0007', '\r', '\n', '\t', '\u0000', '\u009b', '\u202e', '\u200b', '\u3164', '\u2028'],
  ...[
    '│ ',
    '┊ ',
    '  ',
    '─ the agent says: ',
    'command: ls',
    '[0]: ',
    '"',
    '\\n',
    '{}',
    '👨\u200d👩',
    'e\u0301',
    '漢',
    '\ud800',
  ],
  ...['x'.repeat(90), ' '.repeat(90), '- ', '+ ', '? Allow Bash?', ': '],
];
const text = fc
  .array(
    fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ maxLength: 50 })),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));
const KEYS = ['command', 'file_path', 'old_string', 'new_string', 'description', 'content', '__proto__', 'a'];
const key = fc.oneof(fc.constantFrom(...KEYS), text);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
}));
const input = fc.array(fc.tuple(key, value), { maxLength: 5 }).map(objectOf);

function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  // Parsed by JSON.parse: `__proto__` is then an ordinary member.
  return JSON.parse(`{${entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join(',')}}`);
}

const WIDTHS = [40, 80];
const RUNS = { numRuns: 400 };

test('[REQ-1][REQ-2] the lines of any input can be read back to it, and nothing in them acts on a terminal', () => {
  fc.assert(
    fc.property(input, text, fc.constantFrom(...WIDTHS), (members, name, width) => {
      const ask: ShownPermission = { kind: 'permission.requested', name, title: '', input: members, options: [] };
      const lines = requestLines(ask, width);
      for (const line of lines) {
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
        expect(plainText(line)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u200b\u3164]/u);
      }
      const [title, ...rest] = logicalLines(lines.map(plainText));
      expect(title).toBe(`? Allow ${exact(name)}?`);
      expect(new Reader(rest.filter((line) => !line.startsWith('  ─ '))).members(2)).toEqual(expected(members));
    }),
    RUNS,
  );
});

test('[REQ-1] the lines that fit and the counted ones are together the whole request', () => {
  fc.assert(
    fc.property(input, fc.constantFrom(...WIDTHS), fc.integer({ min: 1, max: 40 }), (members, width, rows) => {
      const lines = requestLines({ kind: 'permission.requested', input: members, options: [] }, width);
      const fitted = fitLines(lines, rows);
      expect(fitted.lines.length + fitted.hidden).toBe(lines.length);
      expect(fitted.lines.length + (fitted.hidden > 0 ? 1 : 0)).toBeLessThanOrEqual(rows);
    }),
    RUNS,
  );
});

/** Joins rows that begin with the mark of a continuation to the row before. Notes of the program are wrapped at words. */
function logicalLines(rows: readonly string[]): string[] {
  const lines: string[] = [];
  let isNote = false;
  for (const row of rows) {
    const continued = /^ *┊ (.*)$/s.exec(row);
    if (continued) lines[lines.length - 1] += continued[1]!;
    else if (isNote && row.startsWith('    ')) continue;
    else lines.push(row);
    isNote = row.startsWith('  ─ ') || (isNote && row.startsWith('    '));
  }
  return lines;
}

/** Returns a line in its expected form. */
const exact = (line: string): string => line.split('\t').map(visible).join('→   ');
const exactText = (all: string): string => all.split('\n').map(exact).join('\n');

/** Returns the input with every text in its expected form, and without the order of members. */
function expected(each: unknown, name = ''): unknown {
  if (typeof each === 'string') return exactText(each);
  if (Array.isArray(each)) {
    if (!COMMANDS.includes(name) || each.length === 0 || !each.every((word) => typeof word === 'string'))
      return each.map((item) => expected(item));
    return { form: ` (${each.length} words)`, content: exactText(joinCommand(each)) };
  }
  if (typeof each !== 'object' || each === null) return String(each);
  return new Map(Object.entries(each).map(([key, member]) => [key, expected(member, key)]));
}

const COMMANDS = ['command', 'cmd', 'script', 'code'];

/** Reads the lines of a request. */
class Reader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  members(indent: number): unknown {
    return new Map(this.#entries(indent));
  }

  #entries(indent: number): [string, unknown][] {
    const entries: [string, unknown][] = [];
    while (this.#at < this.#lines.length && this.#indentOf() === indent) {
      const line = this.#lines[this.#at++]!.slice(indent);
      const edit = /^(\w+) → (\w+):$/.exec(line);
      if (edit) {
        const { before, after } = this.#change(indent + 2);
        entries.push([edit[1]!, before], [edit[2]!, after]);
        continue;
      }
      const found = /^("(?:[^"\\]|\\.)*"|\[\d+\]|[\w$@./-]+)( \(\d+ words\)| \(as JSON\))?:(?: (.*))?$/su.exec(line);
      if (!found) throw new Error(`not a member: ${JSON.stringify(line)}`);
      const [, label, form, inline] = found;
      const name = label!.startsWith('"') ? unquoted(label!) : label!;
      const content = inline === undefined ? this.#block(indent + 2) : scalarOf(inline);
      entries.push([name, form === undefined ? content : formed(form, inline ?? String(content))]);
    }
    return entries;
  }

  #block(indent: number): unknown {
    if (this.#lines[this.#at]!.startsWith('│ ', indent)) return this.#text(indent).join('\n');
    const entries = this.#entries(indent);
    return entries[0]![0] === '[0]' ? entries.map(([, each]) => each) : new Map(entries);
  }

  #text(indent: number): string[] {
    const lines: string[] = [];
    while (this.#at < this.#lines.length && this.#lines[this.#at]!.startsWith(`${' '.repeat(indent)}│ `))
      lines.push(this.#lines[this.#at++]!.slice(indent + 2));
    return lines;
  }

  #change(indent: number): { before: string; after: string } {
    const [before, after]: [string[], string[]] = [[], []];
    const rows = new RegExp(`^ {${indent}}([│+-]) (.*)$`, 's');
    for (let row = rows.exec(this.#lines[this.#at] ?? ''); row; row = rows.exec(this.#lines[++this.#at] ?? '')) {
      if (row[1] !== '+') before.push(row[2]!);
      if (row[1] !== '-') after.push(row[2]!);
    }
    return { before: before.join('\n'), after: after.join('\n') };
  }

  #indentOf(): number {
    return /^ */.exec(this.#lines[this.#at]!)![0].length;
  }
}

/**
 * Reads a quoted text, which is JSON in which `visible` has spelled out the rest. A backslash of the text is doubled, so this is
 * exact.
 */
function unquoted(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gsu, (_, long, four, two, letter) => {
      const code = (long ?? four ?? two) as string | undefined;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return ESCAPES[letter as string] ?? (letter as string);
    });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', e: '\u001b' };

function scalarOf(inline: string): unknown {
  if (inline.startsWith('"')) return exactText(unquoted(inline));
  if (inline === '{}') return new Map();
  if (inline === '[]') return [];
  return inline;
}

/** Checks only the presence of a form that is not read back here. */
function formed(form: string, content: string): unknown {
  return { form, content };
}
