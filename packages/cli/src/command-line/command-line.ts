/** Runs the verb on the command line and returns its exit code. */
import { parseArguments, type ParsedArguments, type VerbSyntax } from './arguments.ts';
import { reportFailure } from './failure.ts';
import type { ProgramLocation } from '../program.ts';
import { hasNodes } from '../remote/has-nodes.ts';
import { chooseHost, type Host, splitHostFlags } from '../remote/host.ts';
import { checkAfar, NO_HOST } from '../remote/local-verbs.ts';
import { exitWhenWritten, isTerminal, print, terminalWidth } from '../output/stdio.ts';
import { nearest } from './suggestion.ts';
import { UsageError } from './usage-error.ts';
import { LOADERS } from './verb-loaders.ts';
import { ALIASES, SYNTAX } from './verb-syntax.ts';
import type { VerbName } from './verb-table.ts';

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
    const host = (): Host | null => (chosen === undefined ? (chosen = chooseHost(flags)) : chosen);
    const code = await dispatch(rest, { ...program, host });
    program.keepCode(true);
    return code;
  } catch (error) {
    // A newer bundle may know a verb that this one refuses.
    await program.isFresh();
    const code = reportFailure(error, wantsJson(words));
    if (!(error instanceof UsageError)) program.keepCode(false);
    return code;
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
  const verb = SYNTAX[name]();
  const args = parseArguments(name, verb, rest);
  if (args.help) return await help(program, 'help', [name]);
  if (!NO_HOST.has(name) && mayMeanNode(args, program)) {
    const { machineParts, runParts } = await import('../remote/node-choice.ts');
    const named = { ...args, flags: { ...args.flags, node: args.flags.node ?? program.host()?.node } };
    const parts = await machineParts(name, verb, named, async (references) => {
      const { findNodes } = await import('../remote/bare-names.ts');
      return await findNodes(program, references);
    });
    if (parts.length > 0)
      return await runParts(name, parts, ({ host, args: own }) => act(name, own, { ...program, host: () => host }));
  }
  return await act(name, args, program);
}

/** Returns whether the command may be about a node: a flag names it, or this machine has nodes and the command names a session. */
function mayMeanNode({ flags, operands }: ParsedArguments<VerbSyntax>, program: ProgramLocation): boolean {
  if (flags.node !== undefined || program.host()?.node !== undefined) return true;
  return operands.length > 0 && hasNodes(program);
}

async function act(name: VerbName, args: ParsedArguments<VerbSyntax>, program: ProgramLocation): Promise<number> {
  const host = NO_HOST.has(name) ? null : program.host();
  if (host !== null) checkAfar(name, args.operands, host);
  const { default: action } = await LOADERS[name]();
  await program.isFresh();
  return await (action as (args: ParsedArguments<VerbSyntax>, program: ProgramLocation) => Promise<number>)(
    args,
    program,
  );
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

/** Returns the verb of this name or alias; undefined if there is none. */
function verbCalled(name: string): VerbName | undefined {
  if (Object.hasOwn(SYNTAX, name)) return name as VerbName;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

function unknownVerb(typed: string): UsageError {
  if (typed.startsWith('-'))
    return new UsageError(
      `unknown flag ${typed}; flags come after the verb, except --host, --token-file, --context and --node`,
    );
  const meant = nearest(typed, [...Object.keys(SYNTAX), 'help']);
  const hint = meant ? `did you mean \`spool ${meant}\`?` : `to run a command, use: spool run -- ${typed}`;
  return new UsageError(`unknown verb ${JSON.stringify(typed)}; ${hint}`);
}
