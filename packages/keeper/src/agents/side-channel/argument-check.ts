/** Checks the command line of an agent against a list of options that are known to work with its side channel. It is pure. */

export interface KnownArguments {
  readonly program: string;
  /** Options without a value that change neither the channel nor the kind of interface. */
  readonly switches: ReadonlySet<string>;
  /** Such options with a value, which is not read. */
  readonly withValue: ReadonlySet<string>;
  /** The side channel, to end the sentence "… is not known to work with". */
  readonly channel: string;
}

/** Matches a word that may be the name of a subcommand. */
const ONE_WORD = /^[a-z][a-z0-9-]*$/;

/**
 * Returns the reason why the words after the program get no side channel; null if they get one. A word after a switch, or after `--`,
 * may be a subcommand too: `claude --verbose doctor` is one.
 */
export function argumentsFault(known: KnownArguments, words: readonly string[]): string | null {
  const { program, switches, withValue, channel } = known;
  let isValue = false;
  for (const word of words) {
    if (word.startsWith('-') && word !== '--') {
      const [name = ''] = word.split('=');
      if (!withValue.has(name) && !switches.has(word)) return `\`${name}\` is not known to work with ${channel}`;
      isValue = name === word && withValue.has(name);
    } else {
      if (!isValue && ONE_WORD.test(word)) return `\`${word}\` may be a subcommand of ${program}`;
      isValue = false;
    }
  }
  return null;
}
