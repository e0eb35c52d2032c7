/** Asks somebody at a terminal. Anything but a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  // Loaded here: hardly any call of a verb asks.
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
