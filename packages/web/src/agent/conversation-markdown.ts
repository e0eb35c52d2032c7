/** Writes the loaded part of a conversation as Markdown, for a copy. */
import { changeRows, type TranscriptEntry } from '@spool/render';
import type { ConversationPart } from './conversation.ts';

const OUTPUT_CHARACTERS_MAX = 4_000;

export function conversationMarkdown(parts: readonly ConversationPart[]): string {
  return parts
    .flatMap(({ transcript }) => transcript.entries.map(entryMarkdown))
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n');
}

function entryMarkdown(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'prompt':
      return entry.text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
    case 'message':
      return entry.text.toString();
    case 'tool':
      return toolMarkdown(entry);
    case 'plan':
      return entry.entries.map(({ text, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${text}`).join('\n');
    case 'turn-end':
      return entry.error === undefined ? '---' : `**${entry.error.message}**\n\n---`;
    case 'change':
      return fenced('diff', diffText(entry.diff));
    default:
      return '';
  }
}

function toolMarkdown({ name, title, output, diffs, status }: Extract<TranscriptEntry, { kind: 'tool' }>): string {
  const head = `**${name === '' ? 'tool' : name}** ${title.includes('\n') ? '' : title}${status === 'ok' || status === null ? '' : ` (${status})`}`;
  const body = title.includes('\n') ? [fenced('', title)] : [];
  const changes = diffs.map((diff) => fenced('diff', diffText(diff)));
  const text = output.toString().slice(0, OUTPUT_CHARACTERS_MAX);
  return [head.trimEnd(), ...body, ...changes, ...(text === '' || changes.length > 0 ? [] : [fenced('', text)])].join(
    '\n\n',
  );
}

function diffText(diff: Parameters<typeof changeRows>[0]): string {
  const rows = changeRows(diff).map(({ mark, text }) => (mark === '@' ? text : mark + text));
  return [`--- ${diff.path}`, `+++ ${diff.movedTo ?? diff.path}`, ...rows].join('\n');
}

/** The fence is longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
