/** Keeps the prompts that are not sent yet, per session: through changes of the view and reloads. Keeps CARD-8. */

const KEY = 'spool.drafts';
const DRAFT_CHARACTERS_MAX = 100_000;
/** The maximum of drafts; the oldest ones are dropped. */
const DRAFTS_MAX = 30;

type Draft = readonly [id: string, text: string];
type TextStorage = Pick<Storage, 'getItem' | 'setItem'>;

export function readDraft(id: string, storage: TextStorage = localStorage): string {
  return read(storage).find(([each]) => each === id)?.[1] ?? '';
}

/** An empty text removes the draft. */
export function keepDraft(id: string, text: string, storage: TextStorage = localStorage): void {
  const others = read(storage).filter(([each]) => each !== id);
  const drafts = text === '' ? others : [...others, [id, text.slice(0, DRAFT_CHARACTERS_MAX)] as const];
  try {
    storage.setItem(KEY, JSON.stringify(drafts.slice(-DRAFTS_MAX)));
  } catch {
    // The storage is full or forbidden: the draft is lost when the view closes.
  }
}

function read(storage: TextStorage): readonly Draft[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter(isDraft) : [];
  } catch {
    return []; // another version wrote it, or storage is forbidden
  }
}

const isDraft = (value: unknown): value is Draft =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
