/** A defence and the test that notices its absence. To add one, add a row to a table, and the table to `main.ts`. */
export interface Defence {
  /** The action of an attacker, or the damage to a user. */
  readonly attack: string;
  /** Its row in the table of SECURITY.md; absent if there is damage without an attacker. */
  readonly row?: string;
  readonly file: string;
  /** The defence in the source; it must occur exactly once. */
  readonly find: string;
  /** The same place without the defence; it must still run, and need not pass the type checker. */
  readonly without: string;
  /** The test, which must pass with the defence and fail without it. `title` is a part of its name (default: the whole file). */
  readonly test: { readonly file: string; readonly title?: string };
}
