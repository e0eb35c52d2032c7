/** The help texts, generated from the table of verbs. */
import { COMMON_FLAGS, type Flag, type Verb } from './arguments.ts';
import { ID_ABOUT, VERBS, type VerbName } from './verb-table.ts';

const TAGLINE = 'spool: terminal sessions that keep running when you disconnect, with their complete output.';

export function shortHelp(): string {
  const useful: readonly VerbName[] = ['run', 'attach', 'ls', 'logs', 'wait', 'stop'];
  return [
    TAGLINE,
    '',
    ...useful.map((name) => verbLine(name)),
    '',
    'Examples:',
    '  spool run -- npm test        # Ctrl-\\ detaches; `spool attach` returns',
    '  spool run -d --name api -- npm run dev',
    '  spool logs -f api',
    '',
    'More: spool help, spool help VERB',
  ].join('\n');
}

export function longHelp(): string {
  return [
    TAGLINE,
    '',
    'Usage: spool VERB [FLAGS] …',
    '',
    ...(Object.keys(VERBS) as VerbName[]).map((name) => verbLine(name)),
    '',
    `ID is ${ID_ABOUT}.`,
    'DUR is a duration: 500ms, 10s, 5m, 2h; a plain number is seconds. SIZE is in bytes: 500, 64k, 10M.',
    'Data goes to stdout; notices and errors go to stderr. Every verb accepts --json and --help.',
    'Exit codes: that of the session; 128+n: ended by signal n; 1: failed as asked; 2: usage error; 3: not found;',
    '4: not allowed; 124: timed out; 125: spool failed; 126: command not executable; 127: command not found.',
  ].join('\n');
}

export function verbHelp(name: VerbName): string {
  const verb: Verb = VERBS[name];
  const flags = Object.entries({ ...verb.flags, ...COMMON_FLAGS } as Record<string, Flag>);
  const heads = flags.map(([long, flag]) => flagHead(long, flag));
  const width = Math.max(...heads.map((head) => head.length));
  const commands = verb.examples.map(([command]) => command);
  const commandWidth = Math.min(Math.max(...commands.map((command) => command.length)), 60);
  return [
    `spool ${name}: ${verb.summary}`,
    '',
    `Usage: spool ${name} ${usage(verb)}`,
    ...(verb.operands.some((operand) => /\bID\b/.test(operand))
      ? ['', `ID is ${ID_ABOUT}${hasDefault(name) ? ' (default: the latest session)' : ''}.`]
      : []),
    '',
    ...flags.map(([, flag], at) => `  ${heads[at]!.padEnd(width)}  ${flag.about}`),
    ...(verb.details ? ['', verb.details] : []),
    '',
    verb.examples.length === 1 ? 'Example:' : 'Examples:',
    ...verb.examples.map(([command, says]) => `  ${says ? `${command.padEnd(commandWidth)}  # ${says}` : command}`),
  ].join('\n');
}

/** Verbs that end or delete sessions need an ID, and `events` shows all. */
function hasDefault(name: VerbName): boolean {
  return (VERBS[name].operands as readonly string[]).includes('[ID]') || name === 'wait';
}

function usage(verb: Verb): string {
  const operands = verb.operands.map((operand) => (/^\[?COMMAND/.test(operand) ? `[--] ${operand}` : operand));
  return ['[FLAGS]', ...operands].join(' ');
}

function flagHead(long: string, flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  return `${short}--${long}${flag.kind === 'on' ? '' : ` ${flag.value ?? 'VALUE'}`}`;
}

function verbLine(name: VerbName): string {
  return `  ${name.padEnd(12)} ${VERBS[name].summary}`;
}
