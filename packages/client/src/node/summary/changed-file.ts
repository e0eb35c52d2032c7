/** One file that has changed, as git names it. */
export interface ChangedFile {
  /** As seen from the folder. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** What it was called before. */
  readonly from?: string | undefined;
  readonly isCommitted: boolean;
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = {
  '?': 'added',
  A: 'added',
  C: 'added',
  D: 'deleted',
  R: 'renamed',
};

/** By git's letter. */
export const changeOf = (letter: string): ChangedFile['change'] => CHANGES[letter] ?? 'modified';
