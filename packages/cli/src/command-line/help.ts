/** The help texts [SAY-5], generated from the table of verbs and wrapped at the width of the terminal. */
import { COMMON_FLAGS, type Flag, type Verb } from './arguments.ts';
import { ABOUT_HERE, NO_HOST } from '../remote/local-verbs.ts';
import { EXIT } from './exit-code.ts';
import { ID_ABOUT, VERBS, type VerbName } from './verb-table.ts';
import { NO_BREAK, paragraphs, twoColumns, wrapped } from './wrapped-text.ts';

const TAGLINE = 'spool: terminal sessions that keep running when you disconnect, with their complete output.';

/** The groups of verbs, as users look for them. A verb that is in none of these groups is listed in the last one. */
const GROUPS: readonly (readonly [title: string, verbs: readonly VerbName[]])[] = [
  ['Run and watch', ['run', 'attach', 'ls', 'watch', 'logs', 'screen']],
  ['Type', ['prompt', 'send', 'keys', 'paste']],
  ['Answer agents', ['approve', 'deny', 'answer', 'policy', 'queue', 'resume', 'interrupt']],
  ['Wait and find out', ['wait', 'task', 'events', 'explain', 'summary', 'inspect']],
  ['End, remove, start again', ['stop', 'kill', 'rm', 'rerun']],
  ['Rename, play back, export', ['rename', 'update', 'replay', 'export']],
  [
    'Spool itself',
    [
      'daemon',
      'service',
      'install',
      'uninstall',
      'node',
      'context',
      'doctor',
      'mcp',
      'skill',
      'completions',
      'version',
    ],
  ],
];

const EXAMPLES: Verb['examples'] = [
  ['spool run -- npm test', 'Ctrl-\\ detaches; `spool attach` returns'],
  ['spool run -d --name api -- npm run dev', 'in the background'],
  ['spool logs -f api', 'follow its output'],
];

export function shortHelp(width: number): string {
  const useful: readonly VerbName[] = ['run', 'attach', 'ls', 'logs', 'wait', 'stop'];
  return [
    ...wrapped(TAGLINE, width),
    '',
    ...verbRows(useful, width),
    '',
    'Examples:',
    ...examples(EXAMPLES, width),
    '',
    'More: spool help, spool help VERB',
  ].join('\n');
}

export function longHelp(width: number): string {
  return [
    ...wrapped(TAGLINE, width),
    '',
    'Usage: spool VERB [FLAGS] …',
    ...wrapped('On another machine: spool --context NAME VERB …', width, { hanging: 4 }),
    ...grouped().flatMap(([title, verbs]) => ['', `${title}:`, ...verbRows(verbs, width)]),
    '',
    ...[
      `ID is ${ID_ABOUT}.`,
      'DUR is a duration: 500ms, 10s, 5m, 2h; a plain number is seconds. SIZE is in bytes: 500, 64k, 10M.',
      'Data goes to stdout; notices and errors go to stderr. Every verb accepts --json and --help.',
      exitCodes(),
    ].flatMap((text) => wrapped(text, width)),
  ].join('\n');
}

export function verbHelp(name: VerbName, width: number): string {
  const verb: Verb = VERBS[name];
  const flags = Object.entries({ ...verb.flags, ...COMMON_FLAGS } as Record<string, Flag>).filter(
    ([long]) => long !== 'node' || !(NO_HOST.has(name) || Object.hasOwn(ABOUT_HERE, name)),
  );
  return [
    ...wrapped(`spool ${name}: ${verb.summary}`, width),
    '',
    ...wrapped(`Usage: spool ${name} ${usage(verb)}`, width, { hanging: 4 }),
    ...(verb.operands.some((operand) => /\bID\b/.test(operand))
      ? ['', ...wrapped(`ID is ${ID_ABOUT}${defaultWords(name)}.`, width)]
      : []),
    '',
    ...twoColumns(
      flags.map(([long, flag]) => [flagHead(long, flag), flag.about]),
      width,
    ),
    ...(verb.details ? ['', ...paragraphs(verb.details).flatMap((text) => wrapped(text, width))] : []),
    '',
    verb.examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples(verb.examples, width),
  ].join('\n');
}

/** The verbs that take the request that has waited longest instead of the latest session. */
const ANSWERING: ReadonlySet<VerbName> = new Set(['approve', 'deny', 'answer']);

/** Returns what a verb does without an ID. Verbs that end or delete sessions need one, and `events` shows all. */
function defaultWords(name: VerbName): string {
  if (ANSWERING.has(name)) return ' (default: the session that has waited longest for an answer)';
  const hasDefault = (VERBS[name].operands as readonly string[]).includes('[ID]') || name === 'wait' || name === 'logs';
  return hasDefault ? ' (default: the latest session)' : '';
}

function exitCodes(): string {
  const words: readonly (readonly [code: number | string, about: string])[] = [
    [EXIT.failed, 'check or wait failed'],
    [EXIT.usage, 'usage error'],
    [EXIT.notFound, 'not found'],
    [EXIT.notAllowed, 'not allowed'],
    [EXIT.timedOut, 'timed out'],
    [EXIT.ourFailure, 'spool failed'],
    [EXIT.commandNotExecutable, 'command not executable'],
    [EXIT.commandNotFound, 'command not found'],
    [`${EXIT.signalBase}+n`, 'ended by signal n'],
  ];
  const list = words.map(([code, about]) => `${code} ${about}`.replaceAll(' ', NO_BREAK)).join(', ');
  return `Exit codes: that of the session, or ${list}.`;
}

/** Lists every verb once. */
export function grouped(): readonly (readonly [title: string, verbs: readonly VerbName[]])[] {
  const known = new Set(GROUPS.flatMap(([, verbs]) => verbs));
  const others = (Object.keys(VERBS) as VerbName[]).filter((name) => !known.has(name));
  return GROUPS.map(([title, verbs], at) => [title, at === GROUPS.length - 1 ? [...others, ...verbs] : verbs]);
}

function verbRows(names: readonly VerbName[], width: number): string[] {
  // All groups have the same column, so that the summaries are aligned.
  const column = Math.max(...Object.keys(VERBS).map((name) => name.length));
  return twoColumns(
    names.map((name) => [name.padEnd(column), VERBS[name].summary]),
    width,
  );
}

/** Formats examples. A command is never broken, so that it can be copied; a comment that does not fit beside it is put above it. */
function examples(all: Verb['examples'], width: number): string[] {
  const column = Math.max(...all.map(([command]) => command.length));
  const isBeside = all.every(([, says]) => 2 + column + 4 + says.length <= width);
  return all.flatMap(([command, says]) => {
    if (says === '') return [`  ${command}`];
    if (isBeside) return [`  ${command.padEnd(column)}  # ${says}`];
    return [...wrapped(says, width - 4).map((line) => `  # ${line}`), `  ${command}`];
  });
}

function usage(verb: Verb): string {
  const operands = verb.operands.map((operand) => (/^\[?COMMAND/.test(operand) ? `[--] ${operand}` : operand));
  return ['[FLAGS]', ...operands].join(' ');
}

function flagHead(long: string, flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  return `${short}--${long}${flag.kind === 'on' ? '' : ` ${flag.value ?? 'VALUE'}`}`;
}
