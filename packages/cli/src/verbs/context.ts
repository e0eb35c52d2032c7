/** `spool context`: saves other machines and chooses between them. It never prints a token. */
import { SpoolError } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';
import { isTerminal, print, printJson, terminalWidth } from '../output/stdio.ts';
import { formatTable } from '../output/table.ts';
import type { VerbAction } from '../program.ts';
import { readContexts, writeContexts } from '../remote/contexts.ts';
import { LOCAL } from '../remote/host.ts';
import { readToken } from '../remote/token-file.ts';

const NAME = /^[\w.-]{1,64}$/;

const context: VerbAction<'context'> = async ({ flags, operands }) => {
  const [what, name, url] = operands;
  switch (what) {
    case 'add':
      return await add(name, url, flags.tokenFile, flags.json);
    case 'use':
      return use(name, flags.json);
    case 'ls':
      return list(flags.json, flags.quiet);
    case 'rm':
      return remove(name, flags.json);
    default:
      throw new UsageError(`unknown action \`context ${what}\`; use add, use, ls or rm`, 'context');
  }
};

export default context;

async function add(
  name: string | undefined,
  address: string | undefined,
  tokenFile: string | undefined,
  asJson: boolean,
): Promise<number> {
  if (name === undefined || address === undefined) throw new UsageError('`context add` needs NAME and URL', 'context');
  if (!NAME.test(name)) throw new UsageError('a name has letters, digits, dots, dashes and underscores', 'context');
  if (name === LOCAL) throw new UsageError('`local` is this machine; choose another name', 'context');
  if (tokenFile === undefined && isTerminal(0))
    throw new UsageError('`context add` reads the token from stdin, or from --token-file FILE', 'context');
  const { gatewayAddress } = await import('@spool/client/remote');
  const { url } = gatewayAddress(address);
  const token = readToken(tokenFile ?? '-');
  const { current, contexts } = readContexts(process.env);
  writeContexts(process.env, { current, contexts: { ...contexts, [name]: { url, token } } });
  printContext(asJson, { name, url }, `Saved. Try: spool --context ${name} ls`);
  return 0;
}

function use(name: string | undefined, asJson: boolean): number {
  if (name === undefined) throw new UsageError('`context use` needs NAME; `local` is this machine', 'context');
  const { contexts } = readContexts(process.env);
  const current = name === LOCAL ? null : known(contexts, name);
  writeContexts(process.env, { current, contexts });
  const where = current === null ? 'this machine' : contexts[current]!.url;
  printContext(asJson, { name, url: current === null ? null : where }, `Commands now go to ${where}.`);
  return 0;
}

function list(asJson: boolean, isQuiet: boolean): number {
  const { current, contexts } = readContexts(process.env);
  const rows = [
    { name: LOCAL, url: null, isCurrent: current === null },
    ...Object.entries(contexts).map(([name, { url }]) => ({ name, url, isCurrent: name === current })),
  ];
  if (asJson) printJson(rows);
  else if (isQuiet) print(rows.map(({ name }) => name).join('\n'));
  else
    print(
      formatTable(
        [{ title: '' }, { title: 'NAME' }, { title: 'ADDRESS' }],
        rows.map(({ name, url, isCurrent }) => [isCurrent ? '*' : '', name, url ?? 'this machine']),
        terminalWidth(),
      ).join('\n'),
    );
  return 0;
}

function remove(name: string | undefined, asJson: boolean): number {
  if (name === undefined) throw new UsageError('`context rm` needs NAME', 'context');
  const { current, contexts } = readContexts(process.env);
  known(contexts, name);
  const { [name]: _gone, ...rest } = contexts;
  writeContexts(process.env, { current: current === name ? null : current, contexts: rest });
  printContext(asJson, { name, removed: true }, `Removed ${name}.`);
  return 0;
}

function known(contexts: Readonly<Record<string, unknown>>, name: string): string {
  if (!Object.hasOwn(contexts, name)) throw new SpoolError('CONTEXT_UNKNOWN', { context: name });
  return name;
}

function printContext(asJson: boolean, data: object, text: string): void {
  if (asJson) printJson(data);
  else print(text);
}
