/**
 * Reads a file or folder in a session's folder for display. All content is sent as JSON, so that it never becomes a document of
 * our origin: HTML and SVG are text. Images are recognized by their first bytes, not by their names. Keeps FILE-2.
 */
import type { FilePreview } from '@spool/protocol';
import { ConfinedFile } from './confined-file.ts';

const TEXT_BYTES_MAX = 1024 * 1024;
const IMAGE_BYTES_MAX = 8 * 1024 * 1024;
const ENTRIES_MAX = 2000;
/** The bytes that are enough to distinguish text from other content. */
const SAMPLE_BYTES = 8192;

type EntryType = Extract<FilePreview, { readonly type: 'folder' }>['entries'][number]['type'];

export async function preview(folder: string, path: string): Promise<FilePreview> {
  await using found = await ConfinedFile.open(folder, path);
  if (found.stats.isDirectory()) return await listing(found);
  const bytes = found.stats.size;
  const head = await found.read(SAMPLE_BYTES);
  const mime = imageTypeOf(head);
  if (mime !== null && bytes <= IMAGE_BYTES_MAX)
    return { type: 'image', mime, base64: (await found.read(bytes)).toString('base64'), bytes };
  if (head.includes(0)) return { type: 'binary', bytes };
  const text = new TextDecoder().decode(await found.read(Math.min(TEXT_BYTES_MAX, Math.max(bytes, SAMPLE_BYTES))));
  return { type: 'text', text, bytes, isCut: bytes > TEXT_BYTES_MAX };
}

async function listing(folder: ConfinedFile): Promise<FilePreview> {
  const all = await folder.entries(ENTRIES_MAX + 1);
  const entries = all.map((entry) => {
    const type: EntryType = entry.isDirectory()
      ? 'folder'
      : entry.isFile()
        ? 'file'
        : entry.isSymbolicLink()
          ? 'link'
          : 'other';
    return { name: entry.name, type };
  });
  entries.sort((a, b) => Number(b.type === 'folder') - Number(a.type === 'folder') || (a.name < b.name ? -1 : 1));
  return { type: 'folder', entries: entries.slice(0, ENTRIES_MAX), isCut: entries.length > ENTRIES_MAX };
}

const IMAGES: readonly (readonly [mime: string, magic: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** Returns the type of an image, only for formats that are pure pictures: an SVG is a document with scripts. */
function imageTypeOf(head: Buffer): string | null {
  const start = head.toString('latin1', 0, 16);
  return IMAGES.find(([, magic]) => magic.test(start))?.[0] ?? null;
}
