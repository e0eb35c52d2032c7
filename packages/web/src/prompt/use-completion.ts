/** The candidates for the word before the caret. Files come from the gateway, one folder at a time. */
import { useEffect, useState } from 'react';
import { askGateway } from '../link/ask-gateway.ts';
import { type CompletionPlace, matching } from './completion.ts';

const SHOWN_MAX = 8;
const TYPING_MS = 120;

interface FolderAnswer {
  readonly type: string;
  readonly entries?: readonly { readonly name: string; readonly type: string }[];
}

export function useCompletion(
  id: string,
  place: CompletionPlace | null,
  commands: readonly string[],
): readonly string[] {
  const folder = place?.type === 'file' ? place.word.slice(0, place.word.lastIndexOf('/') + 1) : null;
  const [files, setFiles] = useState<{ readonly folder: string; readonly names: readonly string[] } | null>(null);
  useEffect(() => {
    if (folder === null || files?.folder === folder) return undefined;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      const path = encodeURIComponent(folder.replace(/\/$/, ''));
      askGateway<FolderAnswer>(`sessions/${id}/files?path=${path}`, { signal: asking.signal }).then(
        ({ entries = [] }) =>
          setFiles({ folder, names: entries.map(({ name, type }) => folder + name + (type === 'folder' ? '/' : '')) }),
        () => {}, // a folder that does not exist has no candidates
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [id, folder]);
  if (place === null) return [];
  if (place.type === 'command') return matching(commands, place.word, SHOWN_MAX);
  return files?.folder === folder ? matching(files.names, place.word, SHOWN_MAX) : [];
}
