/** An invalid command line: exit code 2, and a sentence that says what to use instead. */
export class UsageError extends Error {
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = 'UsageError';
    this.verb = verb;
  }
}
