/** What was typed cannot be meant: exit code 2, and a sentence that says what could be. */
export class UsageError extends Error {
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = 'UsageError';
    this.verb = verb;
  }
}
