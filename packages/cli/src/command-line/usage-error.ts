/** An invalid command line: exit code 2, with a sentence that names the correct form. */
export class UsageError extends Error {
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = 'UsageError';
    this.verb = verb;
  }
}
