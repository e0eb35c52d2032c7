/**
 * The API page of the SDK, made from its declarations: every public member of its classes, with its types and the first sentence of its
 * comment.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../packages/client/src');

/** The classes that a program uses, and the functions of the module for Node. */
const CLASSES = [
  ['Client', 'the connection to a daemon', ['request-client.ts', 'client.ts']],
  ['Session', 'one session', ['session.ts']],
  ['AgentHandle', 'an agent without a terminal', ['agents/agent-handle.ts']],
  ['Watch', 'the output of a session, as bytes', ['streams/watch.ts']],
  ['TextWatch', 'the output of a session, as text', ['streams/text-watch.ts']],
  ['Attachment', 'a viewer that shows a session and types into it', ['streams/attachment.ts']],
  ['Events', 'what happens in the daemon', ['streams/events.ts']],
  ['TaskEvents', 'what happens to tasks', ['tasks.ts']],
] as const;

interface ApiMember {
  readonly signature: string;
  readonly about: string;
}

/** Returns the lines of the page. */
export function sdkLines(): readonly string[] {
  return [
    'Import from `@spool/client/node`. The types have their own comments in the declarations of the package.',
    '',
    '## Functions',
    '',
    ...table(functionsOf(read('node/index.ts'))),
    ...CLASSES.flatMap(([name, about, files]) => [
      '',
      `## ${name}: ${about}`,
      '',
      ...table(files.flatMap((file) => membersOf(read(file), file === 'request-client.ts' ? 'RequestClient' : name))),
    ]),
  ];
}

const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

function table(members: readonly ApiMember[]): readonly string[] {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    '| member | what it does |',
    '|---|---|',
    ...members.map(({ signature, about }) => `| \`${cell(signature)}\` | ${cell(about)} |`),
  ];
}

function functionsOf(source: string): readonly ApiMember[] {
  return declarations(source, /^export (?:async )?function\*? (\w+)/);
}

/** Returns the public members of a class: its lines are indented by two blanks, and private ones begin with `#`. */
function membersOf(source: string, name: string): readonly ApiMember[] {
  const begin = source.search(new RegExp(`^export (?:abstract )?class ${name}\\b`, 'm'));
  if (begin === -1) throw new Error(`there is no class ${name}`);
  const body = source.slice(begin, source.indexOf('\n}\n', begin));
  const inner = body.replaceAll(/^ {2}/gm, '');
  return declarations(
    inner,
    /^(?:async |get |readonly |\*)*(?!constructor|private|protected|static|override|if|for|return)([a-z]\w*)[(<:?]/,
  );
}

/** Returns the declarations whose first line matches, each with the comment above it. */
function declarations(source: string, head: RegExp): readonly ApiMember[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    if (!head.test(line) || /^(?:get|readonly) [A-Z]/.test(line)) return [];
    return [{ signature: signatureAt(lines, at), about: commentAbove(lines, at) }];
  });
}

/** Returns the declaration up to its body, in one line. */
function signatureAt(lines: readonly string[], at: number): string {
  let text = '';
  for (const line of lines.slice(at, at + 40)) {
    text += `${text === '' ? '' : ' '}${line.trim()}`;
    if (/[{;]$/.test(line) && isBalanced(text.replace(/ ?[{;]$/, ''))) break;
  }
  return text
    .replace(/ ?[{;]$/, '')
    .replace(/^(?:export )?(?:async )?(?:function\*? )?/, '')
    .replaceAll(/,? \)/g, ')')
    .replaceAll('( ', '(');
}

function isBalanced(text: string): boolean {
  const count = (character: string): number => text.split(character).length - 1;
  return count('(') === count(')') && count('{') === count('}');
}

/** Returns the first sentence of the comment that ends above this line. */
function commentAbove(lines: readonly string[], at: number): string {
  let from = at;
  while (from > 0 && /^\s*(?:\/\*\*|\*)/.test(lines[from - 1]!)) from--;
  const text = lines
    .slice(from, at)
    .map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*)\s?/, '').replace(/\s*\*\/$/, ''))
    .join(' ')
    .trim();
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}
