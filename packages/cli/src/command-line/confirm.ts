/** Asks the user at the terminal. Any answer except yes means no. */
export async function confirm(question: string): Promise<boolean> {
  // Loaded on use, because few verbs ask.
  const { createInterface } = await import('node:readline/promises');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } catch {
    return false; // Ctrl-C, or the end of the input
  } finally {
    asking.close();
  }
}
