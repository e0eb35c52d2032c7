/** One changed file, as git names it. */
export interface ChangedFile {
  /** The path relative to the folder. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Its previous name. */
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

/** Returns the change for git's letter. */
export const changeOf = (letter: string): ChangedFile['change'] => CHANGES[letter] ?? 'modified';
