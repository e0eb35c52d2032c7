import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EscapeScanner } from '../scan/escape-scanner.ts';
import { type OscEvent, type FactKind, FactReader } from './osc-events.ts';
import { bytes, cutInto, everyCut, lengths, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';

function factsIn(chunks: readonly Uint8Array[]): OscEvent[] {
  const reader = new FactReader();
  const facts: OscEvent[] = [];
  const add = (fact: OscEvent | undefined): void => {
    if (fact !== undefined) facts.push(fact);
  };
  const scanner = new EscapeScanner(
    {
      onSequence: (sequence) => add(reader.sequence(sequence)),
      onControl: (code, offset) => add(reader.control(code, offset)),
    },
    { controls: [0x07] },
  );
  for (const chunk of chunks) scanner.feed(chunk);
  return facts;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const CASES: readonly (readonly [string, FactKind | undefined])[] = [
  ['\x07', { type: 'bell-rung' }],
  ['\x1b]0;✳ Claude Code\x07', { type: 'title-changed', title: '✳ Claude Code' }],
  ['\x1b]2;a\x01b\x1b\\', { type: 'title-changed', title: 'ab' }],
  ['\x1b]1;icon\x07', { type: 'icon-name-changed', iconName: 'icon' }],
  ['\x1b]7;file://box/home/u%20v/%C3%A9\x07', { type: 'cwd-changed', path: '/home/u v/é', host: 'box' }],
  ['\x1b]7;kitty-shell-cwd://box/a%20b\x07', { type: 'cwd-changed', path: '/a%20b', host: 'box' }],
  ['\x1b]7;http://x/y\x07', undefined],
  ['\x1b]9;9;"/tmp/x"\x07', { type: 'cwd-changed', path: '/tmp/x', host: '' }],
  ['\x1b]1337;CurrentDir=/tmp\x07', { type: 'cwd-changed', path: '/tmp', host: '' }],
  ['\x1b]633;P;Cwd=/a\\x3bb\\\\c\x07', { type: 'cwd-changed', path: '/a;b\\c', host: '' }],
  ['\x1b]9;4;1;42\x07', { type: 'progress-changed', progress: { state: 'normal', percent: 42 } }],
  ['\x1b]9;4;2;999\x07', { type: 'progress-changed', progress: { state: 'error', percent: 100 } }],
  ['\x1b]9;4;0;0\x07', { type: 'progress-changed', progress: { state: 'none' } }],
  ['\x1b]9;4;3\x07', { type: 'progress-changed', progress: { state: 'indeterminate' } }],
  ['\x1b]9;4;4;5\x1b\\', { type: 'progress-changed', progress: { state: 'paused', percent: 5 } }],
  ['\x1b]9;4;7;5\x07', undefined],
  ['\x1b]9;1;500\x07', undefined],
  ['\x1b]9;Claude needs your permission\x07', { type: 'notified', title: '', body: 'Claude needs your permission' }],
  ['\x1b]9;5 tests failed\x07', { type: 'notified', title: '', body: '5 tests failed' }],
  [
    '\x1b]777;notify;Claude Code;is waiting; now\x07',
    { type: 'notified', title: 'Claude Code', body: 'is waiting; now' },
  ],
  ['\x1b]777;precmd\x07', undefined],
  ['\x1b]99;;hello\x1b\\', { type: 'notified', title: 'hello', body: '' }],
  [`\x1b]99;i=1:e=1;${base64('grüße')}\x1b\\`, { type: 'notified', title: 'grüße', body: '' }],
  ['\x1b]99;i=x:p=?;\x1b\\', undefined],
  ['\x1b]133;A;redraw=0\x07', { type: 'prompt-start' }],
  ['\x1b]133;B\x07', { type: 'prompt-end' }],
  ['\x1b]133;C\x07', { type: 'command-start' }],
  ['\x1b]133;C;cmdline_url=ls%20-l\x07', { type: 'command-start', command: 'ls -l' }],
  ['\x1b]133;D\x07', { type: 'command-end' }],
  ['\x1b]133;D;0\x07', { type: 'command-end', exitCode: 0 }],
  ['\x1b]133;D;130;aid=3\x07', { type: 'command-end', exitCode: 130 }],
  ['\x1b]633;D;1\x07', { type: 'command-end', exitCode: 1 }],
  ['\x1b]633;E;echo a\\x3b b\\x0ac;nonce\x07', { type: 'command-text', command: 'echo a; b\nc' }],
  ['\x1b]133;Z\x07', undefined],
  [
    '\x1b]7501;state=idle:app=codex\x1b\\',
    { type: 'status-reported', status: { state: 'idle', app: 'codex', id: '' } },
  ],
  [
    '\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\',
    { type: 'status-reported', status: { state: 'blocked', app: 'codex', kind: 'permission', id: '' } },
  ],
  ['\x1b]7501;state=clear\x1b\\', { type: 'status-reported', status: { state: 'clear', id: '' } }],
  [
    `\x1b]7501;state=working:progress=40:id=a/b:title=${base64('Fix\x1b[6n it')}:msg=${base64('läuft')}:new=1\x07`,
    {
      type: 'status-reported',
      status: { state: 'working', percent: 40, id: 'a/b', title: 'Fix[6n it', message: 'läuft' },
    },
  ],
  ['\x1b]7501;?\x07', undefined],
  ['\x1b]7501;state=sleeping\x07', undefined],
  ['\x1b]7501;state=working:progress=101\x07', undefined],
  ['\x1b]7501;state=working:id=1/2/3/4/5/6/7/8/9\x07', undefined],
  [`\x1b]7501;state=working:id=${'x'.repeat(129)}\x07`, undefined],
  ['\x1b]7501;state=working:title=!!\x07', undefined],
  [`\x1b]7501;state=working:title=${base64('x'.repeat(4000))}\x07`, undefined],
  ['\x1b]8;;http://x\x07', undefined],
  ['\x1b]1337;File=:AAAA\x07', undefined],
];

describe('FactReader', () => {
  test('each fact, with its offsets, at every cut', () => {
    for (const [input, kind] of CASES) {
      const data = bytes(`ab${input}c`);
      const expected = kind === undefined ? [] : [{ ...kind, start: 2, end: data.length - 1 }];
      if (data.length > 1000) expect(factsIn(cutInto(data, [100]))).toEqual(expected);
      else for (const chunks of everyCut(data)) expect(factsIn(chunks), JSON.stringify(input)).toEqual(expected);
    }
  });

  test('a notification in parts is one', () => {
    const facts = factsIn([
      bytes(
        '\x1b]99;i=1:d=0:p=title;Cla\x1b\\\x1b]99;i=2:d=0;other\x1b\\\x1b]99;i=1:d=0;ude\x1b\\\x1b]99;i=1:p=body;needs you\x1b\\\x1b]99;i=1:p=close;\x1b\\',
      ),
    ]);
    expect(facts).toMatchObject([{ type: 'notified', title: 'Claude', body: 'needs you' }]);
    const many = Array.from({ length: 1000 }, (_, at) => `\x1b]99;i=${at}:d=0;${'x'.repeat(2000)}\x1b\\`).join('');
    expect(factsIn([bytes(many)])).toEqual([]);
  });

  test('any bytes in any pieces give the same facts', () => {
    fc.assert(
      fc.property(wild(), lengths(), (input, pieces) => {
        expect(factsIn(cutInto(input, pieces))).toEqual(factsIn([input]));
      }),
      { numRuns: 1000 },
    );
  });

  test('recorded programs tell what they do', () => {
    const told: Record<string, string[]> = {};
    for (const { name, chunks, bytes: whole } of recordings()) {
      const facts = factsIn(chunks);
      expect(factsIn([whole])).toEqual(facts);
      told[name] = facts.map((fact) =>
        fact.type === 'status-reported'
          ? `${fact.status.state}${fact.status.kind === undefined ? '' : ` ${fact.status.kind}`}`
          : fact.type === 'notified'
            ? fact.body
            : fact.type,
      );
    }
    const without = (name: string, type: string): string[] => told[name]!.filter((word) => word !== type);
    expect(without('codex/tui-session-full', 'title-changed')).toEqual([
      'idle',
      'working',
      'idle',
      'working',
      'done',
      'idle',
      'working',
      'blocked permission',
      'working',
      'done',
      'idle',
      'working',
      'blocked permission',
      'working',
      'idle',
      'working',
      'done',
      'idle',
      'working',
      'clear',
    ]);
    expect(without('claude/tui-notify-iterm', 'title-changed')).toEqual([
      'Claude needs your permission',
      'Claude is waiting for your input',
    ]);
    expect(without('claude/tui-notify-ghostty', 'title-changed')).toEqual([
      'Claude needs your permission',
      'Claude is waiting for your input',
    ]);
    expect(without('claude/tui-screen-reader', 'title-changed')).toContain('prompt-start');
  });
});
