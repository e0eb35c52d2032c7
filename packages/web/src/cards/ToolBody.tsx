/** The input and output of a tool, by its kind: a command with its output, a change, a file, a search, an address, or values. */
import { type ToolEntry, visible, visibleTitle } from '@spool/render';
import { CodeBlock } from './CodeBlock.tsx';
import { CopyButton } from './CopyButton.tsx';
import { DiffView } from './DiffView.tsx';
import { languageOf } from './language-of.ts';
import { Markdown } from './Markdown.tsx';
import { OutputView } from './OutputView.tsx';
import { Steps } from './SmallCards.tsx';
import { memberOf, todosOf } from './tool-input.ts';
import { ValueTree } from './ValueTree.tsx';

const TEXT_CHARACTERS_MAX = 2_000;
/** The length from which on an output is not read as JSON. */
const JSON_CHARACTERS_MAX = 256 * 1024;
const WEB_ADDRESS = /^https?:\/\/[^\s<>"]+$/;

export function ToolBody({ entry }: { readonly entry: ToolEntry }) {
  return (
    <>
      <Given entry={entry} />
      {entry.diffs.map((diff) => (
        <DiffView key={diff.path} diff={diff} />
      ))}
      <Got entry={entry} />
      <Ending entry={entry} />
    </>
  );
}

/** The input, without the part that the head of the card shows. */
function Given({ entry: { toolKind, input, diffs } }: { readonly entry: ToolEntry }) {
  const plan = memberOf(input, 'plan');
  if (plan !== undefined) return <Markdown text={plan} />;
  const todos = todosOf(input);
  if (todos !== null) return <Steps steps={todos} />;
  const command = commandOf(input);
  if (toolKind === 'execute' && command !== undefined && isShort(command)) return null;
  if (toolKind === 'execute' && command !== undefined)
    return (
      <div className="tool-command">
        <pre tabIndex={0} aria-label="The command">
          {command.split('\n').map(visible).join('\n')}
        </pre>
        <CopyButton text={() => command} label="Copy the command" />
      </div>
    );
  const url = memberOf(input, 'url');
  if (toolKind === 'fetch' && url !== undefined)
    return (
      <p>
        {WEB_ADDRESS.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {visibleTitle(url, TEXT_CHARACTERS_MAX)}
          </a>
        ) : (
          visibleTitle(url, TEXT_CHARACTERS_MAX)
        )}
      </p>
    );
  if (toolKind === 'agent') {
    const prompt = memberOf(input, 'prompt');
    return prompt === undefined ? null : <Markdown text={prompt} />;
  }
  const isKnown = toolKind === 'read' || (toolKind === 'edit' && diffs.length > 0);
  if (isKnown || typeof input !== 'object' || input === null || Object.keys(input).length === 0) return null;
  return (
    <>
      <p className="card-note">Input</p>
      <ValueTree value={input} />
    </>
  );
}

/** The output. A successful edit's words add nothing to the change; the same is true for a plan and its steps. */
function Got({ entry }: { readonly entry: ToolEntry }) {
  const { toolKind, output, diffs, status, input } = entry;
  const isSaid = (toolKind === 'edit' && diffs.length > 0) || todosOf(input) !== null;
  if (output.isEmpty || (isSaid && status === 'ok')) return null;
  const text = output.toString();
  if (toolKind === 'agent') return <Markdown text={text} />;
  if (toolKind === 'read') {
    const language = languageOf(memberOf(input, 'file_path') ?? memberOf(input, 'path') ?? entry.title);
    return <FileText text={text} language={language} />;
  }
  const value = toolKind === 'other' ? parsed(text) : undefined;
  if (value !== undefined)
    return (
      <>
        <p className="card-note">Output</p>
        <ValueTree value={value} />
      </>
    );
  return <OutputView text={text} isFromStart={toolKind === 'search' || toolKind === 'fetch'} />;
}

const FILE_CHARACTERS_MAX = 40_000;

function FileText({ text, language }: { readonly text: string; readonly language: string }) {
  if (text.length > FILE_CHARACTERS_MAX) return <OutputView text={text} isFromStart />;
  return (
    <CodeBlock language={language} lines={text.split('\n').map((line) => visible(line.replaceAll('\t', '    ')))} />
  );
}

/** The reason of a failure, and who denied it. */
function Ending({ entry: { status, reason, permission } }: { readonly entry: ToolEntry }) {
  const isDenied = permission?.decision === 'deny';
  const why = isDenied ? (permission.message ?? reason) : reason;
  const who = permission?.who === undefined ? '' : ` by ${visibleTitle(permission.who, 200)}`;
  const isBad = status !== null && status !== 'ok' && status !== 'background';
  return (
    <>
      {permission?.decision === 'allow' && <p className="quiet">Allowed{who}</p>}
      {permission?.changedTo !== undefined && <p>With another input: {permission.changedTo}</p>}
      {(isDenied || (isBad && why !== undefined && why !== '')) && (
        <p className="look-error">
          {isDenied ? `Denied${who}` : ''}
          {why === undefined || why === '' ? '' : `${isDenied ? ': ' : ''}${visibleTitle(why, TEXT_CHARACTERS_MAX)}`}
        </p>
      )}
    </>
  );
}

/** Returns whether the head of the card shows all of a command. */
const isShort = (command: string): boolean => command.length <= 60 && !command.includes('\n');

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { command } = input as Readonly<Record<string, unknown>>;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return command.join(' ');
  return typeof command === 'string' ? command : undefined;
}

function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > JSON_CHARACTERS_MAX) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined; // it only looks like JSON
  }
}
