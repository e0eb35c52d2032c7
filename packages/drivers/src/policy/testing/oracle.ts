/**
 * Judges allowed lines a second time, independently of the policy's own readers: with a state machine over characters, and the
 * options of each program that write or run, from the manuals.
 */

/** Returns the fault of a line that was allowed; undefined if the line is harmless. */
export function objection(line: string): string | undefined {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let quote: string | null = null;
  const endWord = (): void => {
    if (word !== null) commands.at(-1)!.push(word);
    word = null;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (character < ' ' || character === '\u007f') return 'a control character';
    if (character > '~' && !/[\p{L}]/u.test(character)) return 'an odd character';
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && '$`\\!'.includes(character)) return 'an expansion in quotes';
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === ' ') endWord();
    else if ('|&;'.includes(character)) {
      endWord();
      const isDouble = line[at + 1] === character;
      if (character === '&' && !isDouble) return 'a background command';
      if (isDouble) at++;
      if (character === ';' && isDouble) return 'two semicolons';
      commands.push([]);
    } else if ('$`\\<>(){}[]*?!#^'.includes(character)) return `an active ${character}`;
    else if (character === '~' && (word === null || /[:=/]$/.test(word))) return 'a tilde';
    else word = (word ?? '') + character;
  }
  if (quote !== null) return 'an open quote';
  endWord();
  for (const words of commands) {
    const fault = commandFault(words);
    if (fault !== undefined) return `${words.join(' ')}: ${fault}`;
  }
  return undefined;
}

const READERS: ReadonlySet<string> = new Set(
  (
    'true false pwd whoami nproc uname id echo printf basename dirname seq date ls cat nl head tail wc grep rg find sort uniq cut tr ' +
    'comm paste fold stat file du df realpath readlink md5sum sha1sum sha256sum sha512sum cksum diff cmp git'
  ).split(' '),
);
const SHOWING: ReadonlySet<string> = new Set(
  'status log show diff blame branch tag remote rev-parse rev-list merge-base ls-files'.split(' '),
);

/** The forbidden words of each program. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  grep: /^-D(?!skip)|^--devices(?!=skip)/,
  sort: /^-[a-jl-su-zA-Z]*[oTS]|^--(o|te|co|files|random-sou|buf)/,
  find: /^-(exec(dir)?$|ok|delete|f(print|ls)|files0)/,
  date: /^-[uR]*s|^--s|^[^-+]/,
  file: /^-[a-zA-Z]*[zZCmpsS]|^--(unc|comp|mag|pres|spec)/,
  diff: /^-[a-zA-Z]*l|^--pag/,
  tail: /^-[\dqvz]*[fF]|^--(fol|pid|retry)/,
  rg: /^--(pre$|pre=|pre-|search|hostname)|^-[a-zA-Z]*z/,
  printf: /^-v/,
  df: /^--sy/,
  git: /^--(output|ext-|ext$|textconv|show-sig|exec|git-dir=|work-tree|no-index|open|config|paginate|sort=-?(sig|desc))|^-O|%G/,
};

function commandFault([name = '', ...rest]: readonly string[]): string | undefined {
  if (!READERS.has(name)) return 'not a program that only reads';
  if (name === 'git' && !SHOWING.has(rest[0] ?? '')) return 'not a subcommand that only shows';
  if (rest.some((word) => /^[./]*\/+(proc|sys|dev(?!\/null$))(\/|$)/.test(word))) return 'a file of the kernel';
  if (/^(grep|rg|diff)$/.test(name) && rest.includes('/')) return 'every file of the system';
  // Values of options are looked at like options: of the generated ones, none looks like one.
  const forbidden =
    name === 'date' ? rest.filter((_, at) => !/^(-[dr]|--(date|reference|rfc-3339))$/.test(rest[at - 1] ?? '')) : rest;
  const bad = FORBIDDEN[name] && forbidden.find((word) => FORBIDDEN[name]!.test(word));
  if (bad !== undefined) return `${bad} does more than read`;
  if (name === 'printf' && /%-?\d*[^s\d-]/.test((rest.find((word) => word !== '--') ?? '').replaceAll('%%', '')))
    return 'an odd format';
  if (name === 'uniq') {
    const files = rest.filter(
      (word, at) => !/^-./.test(word) && !/^-[cdDiuz]*[fsw]$|^--(skip|check)-\w+$/.test(rest[at - 1] ?? ''),
    );
    if (files.length > 1) return 'uniq writes its second file';
  }
  if ((name === 'git' && rest[0] === 'branch') || rest[0] === 'tag') {
    const isListing = rest.some((word) => /^--list$|^-[a-z]*l/.test(word));
    const words = rest
      .slice(1)
      .filter((word, at) => !word.startsWith('-') && !/^--(no-)?(contains|sort|points-at|merged)$/.test(rest[at]!));
    if (words.length > 0 && !isListing) return 'makes a branch or a tag';
  }
  return undefined;
}
