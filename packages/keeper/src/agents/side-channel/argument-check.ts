/** Checks the command line of an agent against a list of options that are known to work with its side channel. It is pure. */

export interface KnownArguments {
  readonly program: string;
  /** The options that change neither the channel nor the kind of interface. Some have values, which are not read. */
  readonly options: ReadonlySet<string>;
  /** The side channel, to end the sentence "… is not known to work with". */
  readonly channel: string;
}

/** Matches a word that may be the name of a subcommand. */
const ONE_WORD = /^[a-z][a-z0-9-]*$/;

/** Returns the reason why the words after the program get no side channel; null if they get one. */
export function argumentsFault({ program, options, channel }: KnownArguments, words: readonly string[]): string | null {
  let isAfterOption = false;
  for (const word of words) {
    if (word === '--') return null;
    if (word.startsWith('-')) {
      const [name = ''] = word.split('=');
      if (!options.has(name)) return `\`${name}\` is not known to work with ${channel}`;
      isAfterOption = name === word;
    } else {
      if (!isAfterOption && ONE_WORD.test(word)) return `\`${word}\` may be a subcommand of ${program}`;
      isAfterOption = false;
    }
  }
  return null;
}
