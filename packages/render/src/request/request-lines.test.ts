import { visible } from '@spool/protocol/visible-text';
import { expect, test } from 'vitest';
import { plainText } from '../lines.ts';
import { fitLines, type ShownPermission, type RequestAsk, requestLines, requestText } from './request-lines.ts';

const ask = (parts: Partial<ShownPermission>): ShownPermission => ({
  kind: 'permission.requested',
  options: [],
  ...parts,
});

const shown = (parts: Partial<ShownPermission>, width = 80): string[] => requestText(ask(parts), width).split('\n');

test('[REQ-1] a member that an agent calls a description does not hide the others', () => {
  const input = { description: 'List the files of the project', script: 'rm -rf ~' };
  expect(shown({ name: 'mcp__shell__run', title: 'List the files of the project', input })).toEqual([
    '? Allow mcp__shell__run?',
    '  script: rm -rf ~',
    '  description: List the files of the project',
  ]);
  expect(shown({ name: 'x', input: { unknown: { deep: ['rm -rf ~'] } } }).join('\n')).toContain('[0]: rm -rf ~');
});

test('[REQ-1] every member is shown, whatever the tool is called', () => {
  expect(shown({ name: 'Edit', input: { file_path: '.env', command: 'ls' } })).toEqual([
    '? Allow Edit?',
    '  command: ls',
    '  file_path: .env',
  ]);
});

test('[REQ-1] an edit is a change of lines, and what is beside it is there too', () => {
  const input = { file_path: 'a.ts', old_string: 'one\ntwo\nthree', new_string: 'one\n2\nthree', replace_all: true };
  expect(shown({ name: 'Edit', input })).toEqual([
    '? Allow Edit?',
    '  file_path: a.ts',
    '  old_string → new_string:',
    '    │ one',
    '    - two',
    '    + 2',
    '    │ three',
    '  replace_all: true',
  ]);
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: '', new_string: 'c\n' },
  ];
  expect(shown({ name: 'MultiEdit', input: { file_path: 'a.ts', edits } }).slice(2)).toEqual([
    '  edits:',
    '    [0]:',
    '      old_string → new_string:',
    '        - a',
    '        + b',
    '    [1]:',
    '      old_string → new_string:',
    '        + c',
    '        │ ',
  ]);
});

test('[REQ-1] the content of a file, and a plan that is only in the tool call', () => {
  expect(shown({ name: 'Write', input: { file_path: 'a.sh', content: '#!/bin/sh\nrm -rf ~\n' } })).toEqual([
    '? Allow Write?',
    '  file_path: a.sh',
    '  content:',
    '    │ #!/bin/sh',
    '    │ rm -rf ~',
    '    │ ',
  ]);
  expect(shown({ name: 'ExitPlanMode', input: {}, call: { plan: '# Plan\n- <!-- rm -->' } })).toEqual([
    '? Allow ExitPlanMode?',
    '  ─ the input: {}',
    '  ─ the input of the tool call:',
    '    plan:',
    '      │ # Plan',
    '      │ - <!-- rm -->',
  ]);
  expect(shown({ name: 'Bash', input: { command: 'ls' }, call: { command: 'rm -rf ~' } })).toContain(
    '  ─ the tool call says otherwise:',
  );
});

test('[REQ-1] the words of a command keep their limits', () => {
  expect(shown({ name: 'shell', input: { command: ['bash', '-lc', "ls 'a b'; rm x"] } })[1]).toBe(
    `  command (3 words): bash -lc 'ls '\\''a b'\\''; rm x'`,
  );
});

test('[REQ-1] changes of files are shown with every line, a move with both paths', () => {
  const lines = shown({
    name: 'apply_patch',
    diffs: [
      { path: 'a b', change: 'move', movedTo: 'c\u001b[2Jd' },
      {
        path: 'x.ts',
        change: 'modify',
        hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' a', '-b', '+c', 'odd'] }],
      },
      { path: 'y', change: 'add', newText: 'hello\n' },
      { path: 'z', change: 'modify', unified: '--- z\n+++ z\n-old\n+new' },
    ],
  });
  expect(lines).toEqual([
    '? Allow apply_patch?',
    '  ─ move "a b" to "c\\u001b[2Jd"',
    '  ─ edit x.ts',
    '    @@ -1,2 +1,2 @@',
    '    │ a',
    '    - b',
    '    + c',
    '    ? odd',
    '  ─ new file y',
    '    + hello',
    '    + ',
    '  ─ edit z',
    '    │ --- z',
    '    │ +++ z',
    '    │ -old',
    '    │ +new',
    '  ─ characters that cannot be seen are spelled out: \\e U+001B',
  ]);
});

test("[REQ-41] the agent's words are last, whole, and marked", () => {
  const lines = shown({ name: 'Bash', title: 'Harmless\ncommand: ls', reason: 'trust me', input: { command: 'rm x' } });
  expect(lines).toEqual([
    '? Allow Bash?',
    '  command: rm x',
    '  ─ the agent says:',
    '    │ Harmless',
    '    │ command: ls',
    '  ─ the agent says: trust me',
  ]);
});

test('[REQ-41] a title that is the beginning of the input is not repeated', () => {
  const command = `echo a\n${'b'.repeat(600)}`;
  expect(shown({ name: 'Bash', title: `Bash: ${command.slice(0, 500)}`, input: { command } }).join('')).not.toContain(
    'says',
  );
  expect(shown({ name: 'Bash', title: 'Bash', reason: '', input: { command } }).join('')).not.toContain('says');
  expect(shown({ name: 'Bash', title: 'Bash: echo b', input: { command } }).join('')).toContain('says: Bash: echo b');
});

test('[REQ-1] what an option changes is shown, and a long label is whole', () => {
  const label = `Yes, ${'always '.repeat(20)}!`;
  const lines = shown({
    name: 'Bash',
    input: { command: 'npm test' },
    options: [
      { id: 'a', label: 'Always', kind: 'allow_always', effect: { rules: ['Bash(npm *)'], mode: 'acceptEdits' } },
      { id: 'b', label, kind: 'allow_once' },
    ],
  });
  expect(lines.slice(2).join('').replaceAll('  ┊ ', '')).toBe(
    `  ─ the option "Always" changes: {"rules":["Bash(npm *)"],"mode":"acceptEdits"}  ─ an option: ${label}`,
  );
});

test('[REQ-7] a request that was cut says so', () => {
  expect(shown({ name: 'Bash', input: {}, isCut: true, bytes: 300_000 }, 120)[1]).toBe(
    '  ─ this request is too large to be kept whole (300000 bytes): it can only be denied',
  );
});

test('[REQ-2] a line break starts a row, and a wrapped line does not look like one', () => {
  expect(shown({ name: 'Bash', input: { command: 'ls\nrm -rf ~' } })).toEqual([
    '? Allow Bash?',
    '  command:',
    '    │ ls',
    '    │ rm -rf ~',
  ]);
  expect(shown({ name: 'Bash', input: { command: `ls ${' '.repeat(30)}; rm -rf ~` } }, 30)).toEqual([
    '? Allow Bash?',
    `  command: ls${' '.repeat(17)}`,
    `  ┊ ${' '.repeat(14)}; rm -rf ~`,
  ]);
  // A value that looks like rows stays behind its marks.
  expect(shown({ name: 'x', input: { a: 'b\n  command: ls\n? Allow' } }).slice(1)).toEqual([
    '  a:',
    '    │ b',
    '    │   command: ls',
    '    │ ? Allow',
  ]);
});

test('[REQ-2] values cannot be read as others', () => {
  const input = {
    a: '',
    b: 'true',
    c: true,
    d: '5',
    e: 5,
    f: {},
    g: '{}',
    h: [],
    i: null,
    j: 'null',
    k: ' x ',
    'l: m': 1,
  };
  expect(shown({ input }).slice(1)).toEqual([
    '  a: ""',
    '  b: "true"',
    '  c: true',
    '  d: "5"',
    '  e: 5',
    '  f: {}',
    '  g: "{}"',
    '  h: []',
    '  i: null',
    '  j: "null"',
    '  k: " x "',
    '  "l: m": 1',
  ]);
  expect(shown({ input: '{}' })[1]).toBe('  ─ the input: "{}"');
  expect(shown({ input: { a: 'x\ty' } })[1]).toBe('  a: x→   y');
});

test('[REQ-2] characters without a shape and look-alike letters are pointed out', () => {
  const lines = shown({ name: 'Bash', input: { command: 'ls\u200b \u3164 \u001b[2J p\u0430ypal \u037e' } });
  expect(lines.slice(1).map((line) => line.trimEnd())).toEqual([
    `  command: ls\\u{200b} \\u{3164} \\e[2J p\u0430ypal \u037e`,
    '  ─ characters that cannot be seen are spelled out: \\u{200b} U+200B, \\u{3164}',
    '    U+3164, \\e U+001B',
    '  ─ contains look-alike letters: \u037e U+037E, \u0430 U+0430',
  ]);
  // Whole words of another alphabet, and an emoji of several parts, are not reported.
  expect(shown({ input: { a: 'Привет, мир 👨\u200d👩\u200d👧 ✔\ufe0f' } })).toHaveLength(2);
});

test('[REQ-1] a question is shown whole, with its options and its form', () => {
  const question: RequestAsk = {
    kind: 'question.asked',
    questions: [{ id: '1', text: 'Which\none?', options: [{ id: 'a', label: 'TS', description: 'typed\nand more' }] }],
    schema: { type: 'object' },
  };
  expect(requestText(question, 40).split('\n')).toEqual([
    '? Which',
    '│ one?',
    '  1. TS',
    '    │ typed',
    '    │ and more',
    '  ─ the form:',
    '    type: object',
  ]);
});

test('[REQ-40] lines that do not fit are counted exactly', () => {
  const lines = requestLines(
    ask({ input: { command: Array.from({ length: 121 }, (_, at) => `${at}`).join('\n') } }),
    80,
  );
  expect(lines).toHaveLength(123);
  expect(fitLines(lines, 123)).toEqual({ lines, hidden: 0 });
  for (const rows of [1, 6, 122]) {
    const fitted = fitLines(lines, rows);
    expect(fitted.lines).toEqual(lines.slice(0, rows - 1));
    expect(fitted.lines.length + fitted.hidden).toBe(123);
  }
  expect(fitLines(lines, 0)).toEqual({ lines: [], hidden: 123 });
});

test('[REQ-1] a request of the largest size is made in time, deep or long', () => {
  const before = performance.now();
  expect(requestLines(ask({ input: { a: '\n'.repeat(240_000) } }), 40).length).toBe(240_003);
  expect(requestLines(ask({ input: { a: 'x'.repeat(240_000) } }), 40).length).toBeGreaterThan(6000);
  expect(requestLines(ask({ input: { a: `p\u0430${'б'.repeat(120_000)}` } }), 40).length).toBeGreaterThan(3000);
  let deep: unknown = 'rm -rf ~';
  for (let at = 0; at < 500; at++) deep = at % 2 === 0 ? { a: deep } : [deep];
  expect(
    requestLines(ask({ input: { deep } }), 40)
      .map(plainText)
      .join('')
      .replaceAll(/ *┊ /g, ''),
  ).toContain('rm -rf ~');
  // A limit that detects quadratic time, far above the usual time.
  expect(performance.now() - before).toBeLessThan(60_000);
});

test('[REQ-2] names and labels of options act on nothing', () => {
  const text = requestText(
    ask({ name: 'Bash\u001b[2J\n', options: [{ id: 'a', label: '\u001b]0;x\u0007', kind: 'other', effect: {} }] }),
    80,
  );
  expect(text).toContain(visible('Bash\u001b[2J\n'));
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});
