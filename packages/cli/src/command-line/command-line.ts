/** Runs the verb on the command line and returns its exit code. */
import { parseArguments, type ParsedArguments, type Verb } from './arguments.ts';
import { reportFailure } from './failure.ts';
import type { ProgramLocation } from '../program.ts';
import { chooseHost, type Host, splitHostFlags } from '../remote/host.ts';
import { checkAfar, NO_HOST } from '../remote/local-verbs.ts';
import { exitWhenWritten, isTerminal, print, terminalWidth } from '../output/stdio.ts';
import { nearest } from './suggestion.ts';
import { UsageError } from './usage-error.ts';
import { LOADERS } from './verb-loaders.ts';
import { type VerbName, VERBS, verbCalled } from './verb-table.ts';

/** The width in a pipe or a file. */
const HELP_WIDTH = 80;

/** Exits the process once all output is written. */
export async function runCommandLine(words: readonly string[], program: Omit<ProgramLocation, 'host'>): Promise<never> {
  return await exitWhenWritten(await exitCodeFor(words, program));
}

async function exitCodeFor(words: readonly string[], program: Omit<ProgramLocation, 'host'>): Promise<number> {
  try {
    const { flags, rest } = splitHostFlags(words);
    let chosen: Host | null | undefined;
    return await dispatch(rest, { ...program, host: () => (chosen ??= chooseHost(flags)) });
  } catch (error) {
    // A newer bundle may know what this one refuses.
    await program.isFresh();
    return reportFailure(error, wantsJson(words));
  }
}

/** `--json-output` writes events to stderr, so an error must be JSON there too. */
function wantsJson(words: readonly string[]): boolean {
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  return own.includes('--json') || (own.includes('--json-output') && !isTerminal(2));
}

async function dispatch(words: readonly string[], program: ProgramLocation): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h')
    return await help(program, first, rest);
  if (first === '--version' || first === '-V') return await dispatch(['version', ...rest], program);
  const name = verbCalled(first);
  if (name === undefined) throw unknownVerb(first);
  const verb: Verb = VERBS[name];
  const args = parseArguments(name, verb, rest);
  if (args.help) return await help(program, 'help', [name]);
  if (!NO_HOST.has(name) && mayNameNode(args)) {
    const { chooseNode } = await import('../remote/node-choice.ts');
    const chosen = chooseNode(name, verb, args);
    if (chosen !== null) return await act(name, chosen.args, { ...program, host: () => chosen.host });
  }
  return await act(name, args, program);
}

/** Returns whether a node is named: by the flag, or perhaps in `NODE/ID`. */
function mayNameNode({ flags, operands }: ParsedArguments<Verb>): boolean {
  return flags.node !== undefined || operands.some((operand) => operand.includes('/'));
}

async function act(name: VerbName, args: ParsedArguments<Verb>, program: ProgramLocation): Promise<number> {
  const host = NO_HOST.has(name) ? null : program.host();
  if (host !== null) checkAfar(name, args.operands, host);
  const { default: action } = await LOADERS[name]();
  await program.isFresh();
  return await (action as (args: ParsedArguments<Verb>, program: ProgramLocation) => Promise<number>)(args, program);
}

async function help(program: ProgramLocation, first: string | undefined, rest: readonly string[]): Promise<number> {
  const { shortHelp, longHelp, verbHelp } = await import('./help.ts');
  await program.isFresh();
  const asked = rest.find((word) => !word.startsWith('-'));
  const name = asked === undefined ? undefined : verbCalled(asked);
  if (asked !== undefined && name === undefined && asked !== 'help') throw unknownVerb(asked);
  const width = terminalWidth() ?? HELP_WIDTH;
  if (name !== undefined) print(verbHelp(name, width));
  else print(first === undefined ? shortHelp(width) : longHelp(width));
  return 0;
}

function unknownVerb(typed: string): UsageError {
  if (typed.startsWith('-'))
    return new UsageError(
      `unknown flag ${typed}; flags come after the verb, except --host, --token-file, --context and --node`,
    );
  const meant = nearest(typed, [...Object.keys(VERBS), 'help']);
  const hint = meant ? `did you mean \`spool ${meant}\`?` : `to run a command, use: spool run -- ${typed}`;
  return new UsageError(`unknown verb ${JSON.stringify(typed)}; ${hint}`);
}
