/**
 * `spool completions`: shell scripts generated from the table of verbs. Sessions are completed by name: all that `ls` shows, or
 * only running ones for verbs that need one. Keeps SAY-7 and NODE-42.
 */
import { COMMON_FLAGS, type Flag, type Verb } from '../command-line/arguments.ts';
import type { VerbAction } from '../program.ts';
import { print, printJson } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { VERBS } from '../command-line/verb-table.ts';

const completions: VerbAction<'completions'> = async ({ flags, operands }) => {
  const shell = operands[0]!;
  if (!Object.hasOwn(SCRIPTS, shell))
    throw new UsageError(`there are no completions for ${JSON.stringify(shell)}; use bash, zsh or fish`, 'completions');
  const script = completionScript(shell as keyof typeof SCRIPTS);
  if (flags.json) printJson({ shell, script });
  else print(script);
  return 0;
};

export default completions;

export function completionScript(shell: keyof typeof SCRIPTS): string {
  return SCRIPTS[shell]();
}

const ALL: readonly (readonly [string, Verb])[] = Object.entries(VERBS);

const SCRIPTS = { bash, zsh, fish };

function flagsOf(verb: Verb): readonly (readonly [string, Flag])[] {
  return Object.entries({ ...verb.flags, ...COMMON_FLAGS } as Record<string, Flag>);
}

/** The flags before the verb; `--context` completes the saved contexts, and `--node` the nodes. */
const BEFORE = ['--context', '--host', '--token-file', '--node'];

/** Returns all long spellings of a flag. */
const longNames = ([long, flag]: readonly [string, Flag]): string[] => [long, ...(flag.also ? [flag.also] : [])];

/** Returns the kind of the first operand. */
function operandKind(verb: Verb): 'session' | 'command' | 'words' | 'none' {
  const [first = ''] = verb.operands;
  if (/^\[?COMMAND/.test(first)) return 'command';
  if (/\bID\b/.test(first)) return 'session';
  return /^\[?[a-z]/.test(first) ? 'words' : 'none';
}

/** Returns the words of an operand such as `start|stop|status` or `[rules]`. */
function wordsOf(verb: Verb): readonly string[] {
  return operandKind(verb) === 'words' ? verb.operands[0]!.replace(/[[\]]/g, '').split('|') : [];
}

/** Returns whether later operands can be sessions. */
function takesSessionsLater(verb: Verb): boolean {
  return verb.operands[0]?.includes('ID…') === true || /\bID\b/.test(verb.operands[1] ?? '');
}

/** The verbs that are useless for a session that has ended. */
const NEED_RUNNING: ReadonlySet<string> = new Set([
  'attach',
  'send',
  'paste',
  'prompt',
  'keys',
  'wait',
  'stop',
  'kill',
]);

const whichOf = (name: string): string => (NEED_RUNNING.has(name) ? '--running' : '');

/** Name and state, separated by a tab. The shell passes `\\t` on unchanged, and `ls` converts it to a tab. */
const NAMED = '{{.name}}\\t{{.status.state}}';
const sessionsFor = (which: string): string =>
  `spool ls --seen ${which} --format "${NAMED}" 2>/dev/null`.replace('  ', ' ');

function takesNode(flag: Flag): boolean {
  return flag.value === 'NODE';
}

function takesFiles(flag: Flag): boolean {
  return /DIR|FILE/.test(flag.value ?? '');
}

function bash(): string {
  const spellings = (entry: readonly [string, Flag]): string[] => [
    ...longNames(entry).map((long) => `--${long}`),
    ...(entry[1].short ? [`-${entry[1].short}`] : []),
  ];
  const cases = ALL.map(([name, verb]) => {
    const all = flagsOf(verb);
    const spelled = (flags: readonly (readonly [string, Flag])[]): string => flags.flatMap(spellings).join(' ');
    const settings = {
      flags: spelled(all),
      valued: spelled(all.filter(([, flag]) => flag.kind !== 'on')),
      files: spelled(all.filter(([, flag]) => takesFiles(flag))),
      kind: operandKind(verb),
      words: wordsOf(verb).join(' '),
      later: takesSessionsLater(verb) ? 'session' : 'none',
      which: whichOf(name),
      commandAfter: verb.commandAfter ?? '',
    };
    return `    ${name}) ${Object.entries(settings)
      .map(([setting, value]) => `${setting}='${value}'`)
      .join(' ')} ;;`;
  });
  const values = ALL.flatMap(([name, verb]) =>
    flagsOf(verb)
      .filter(([, flag]) => flag.words !== undefined)
      .map((entry) => {
        const patterns = spellings(entry).map((spelling) => `'${name} ${spelling}'`);
        return `    ${patterns.join('|')}) values='${entry[1].words!.join(' ')}' ;;`;
      }),
  );
  return `# bash completion for spool; made by \`spool completions bash\`
_spool_sessions() {
  # Names may hold anything: they are compared and quoted, never expanded.
  local session
  while IFS= read -r session; do
    if [[ $session == "$1"* ]]; then COMPREPLY+=("$(printf %q "$session")"); fi
  done < <(spool ls --seen $2 --format '{{.name}}' 2>/dev/null)
}
_spool_command() {
  if declare -F _command_offset >/dev/null; then _command_offset "$1"; else COMPREPLY=($(compgen -f -- "$2")); fi
}
_spool_contexts() {
  local context
  while IFS= read -r context; do
    if [[ $context == "$1"* ]]; then COMPREPLY+=("$(printf %q "$context")"); fi
  done < <(spool context ls --quiet 2>/dev/null)
}
_spool_nodes() {
  COMPREPLY=($(compgen -W "$(spool node ls --quiet 2>/dev/null)" -- "$1"))
}
_spool() {
  # Flags before the verb are put aside.
  while [[ \${COMP_WORDS[1]} == --* ]] && ((COMP_CWORD > 2)); do
    COMP_WORDS=("\${COMP_WORDS[0]}" "\${COMP_WORDS[@]:3}")
    ((COMP_CWORD -= 2))
  done
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at word first= operands=0 command=0 before=
  local flags= valued= files= kind=none words= later=none which= commandAfter= values=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...ALL.map(([name]) => name), 'help', ...BEFORE].join(' ')}' -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
    --context) _spool_contexts "$cur"; return ;;
    --node) _spool_nodes "$cur"; return ;;
    --token-file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --*) return ;;
  esac
  # bash breaks state=idle into three words.
  if [[ $cur == = ]]; then
    before=$prev=
    cur=$before
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $prev == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}=
    cur=$before$cur
    prev=\${COMP_WORDS[COMP_CWORD-3]}
  fi
  case \${COMP_WORDS[1]} in
    help) COMPREPLY=($(compgen -W '${ALL.map(([name]) => name).join(' ')}' -- "$cur")); return ;;
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[1]} $prev" in
${values.join('\n')}
  esac
  for ((at = 2; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ $word == -- && $kind == command ]]; then command=$((at + 1)); break; fi
    if [[ $word == -?* ]]; then
      if [[ " $valued " == *" $word "* ]]; then ((at++)); fi
      continue
    fi
    ((operands++))
    if ((operands == 1)); then first=$word; fi
    if [[ $kind == command || ( $operands -eq 2 && $first == "$commandAfter" ) ]]; then command=$at; break; fi
  done
  if ((command > 0 && command < COMP_CWORD)); then
    _spool_command "$command" "$cur"
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    if [[ \${COMPREPLY[*]} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  elif [[ $prev == --node ]]; then
    _spool_nodes "$cur"
  elif [[ " $valued " == *" $prev "* ]]; then
    if [[ " $files " == *" $prev "* ]]; then COMPREPLY=($(compgen -f -- "$cur")); fi
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ $kind == command || ( $operands -eq 1 && -n $commandAfter && $first == "$commandAfter" ) ]]; then
    COMPREPLY=($(compgen -c -- "$cur"))
  elif [[ $kind == words && $operands -eq 0 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [[ ( $kind == session && $operands -eq 0 ) || ( $later == session && $operands -gt 0 ) ]]; then
    _spool_sessions "$cur" "$which"
  fi
}
complete -F _spool spool`;
}

function zsh(): string {
  const quote = (text: string): string => text.replaceAll("'", `'\\''`);
  const cases = ALL.map(([name, verb]) => {
    const specs = flagsOf(verb).map(([long, flag]) => {
      const about = quote(flag.about.replaceAll(/[[\]\\:]/g, '\\$&'));
      const value =
        flag.kind === 'on'
          ? ''
          : `:${quote(flag.value ?? 'value').replaceAll(/[[\]:]/g, '')}:${takesFiles(flag) ? '_files' : takesNode(flag) ? '_spool_nodes' : zshWords(flag)}`;
      const spelled = [
        ...(flag.short ? [`-${flag.short}`] : []),
        ...longNames([long, flag]).map((name) => `--${name}`),
      ];
      const names = spelled.length > 1 ? `{${spelled.join(',')}}` : `--${long}`;
      const prefix = flag.many ? "'*'" : spelled.length > 1 ? `'(${spelled.join(' ')})'` : '';
      return `${prefix}${names}'[${about}]${value}'`;
    });
    const kind = operandKind(verb);
    const operand = {
      session: verb.operands.length > 1 ? ["'1:session:_spool_sessions'", "'*: : '"] : ["'*:session:_spool_sessions'"],
      command: ["'(-)1:command:_command_names -e'", "'*::arguments:_normal'"],
      words: [
        `'1:word:(${wordsOf(verb).join(' ')})'`,
        ...(takesSessionsLater(verb) ? ["'*:session:_spool_sessions'"] : []),
      ],
      none: [],
    }[kind];
    return `    ${name}) which=${whichOf(name)}; _arguments -s -S ${[...specs, ...operand].join(' ')} ;;`;
  });
  return `#compdef spool
# zsh completion for spool; made by \`spool completions zsh\`
_spool_sessions() {
  # Two lists: what is typed, and what is shown with the state behind it.
  local -a names shown
  local line
  for line in "\${(@f)$(spool ls --seen $which --format '${NAMED}' 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  compadd -l -d shown -a names
}
_spool_contexts() {
  local -a names
  names=("\${(@f)$(spool context ls --quiet 2>/dev/null)}")
  compadd -a names
}
_spool_nodes() {
  local -a names
  names=("\${(@f)$(spool node ls --quiet 2>/dev/null)}")
  compadd -a names
}
_spool() {
  local which=
  local -a verbs
  # Flags before the verb are put aside.
  while ((CURRENT > 3)) && [[ $words[2] == --* ]]; do
    words=($words[1] "\${(@)words[4,-1]}")
    ((CURRENT -= 2))
  done
  verbs=(
${[...ALL.map(([name, verb]) => [name, verb.summary] as const), ['help', 'show help'] as const].map(([name, about]) => `    '${name}:${quote(about)}'`).join('\n')}
  )
  if ((CURRENT == 2)); then
    if [[ $words[2] == -* ]]; then compadd -- ${BEFORE.join(' ')}; else _describe verb verbs; fi
    return
  fi
  if [[ $words[2] == --* ]]; then
    case $words[2] in
      --context) _spool_contexts ;;
      --node) _spool_nodes ;;
      --token-file) _files ;;
    esac
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    help) _describe verb verbs ;;
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _spool ]]; then _spool "$@"; else compdef _spool spool; fi`;
}

/** Returns the possible values of an argument. Colons are escaped, because they have a meaning in zsh. */
function zshWords({ words }: Flag): string {
  return words === undefined ? ' ' : `(${words.join(' ').replaceAll(':', '\\:')})`;
}

const FISH_BEFORE = [
  "complete -c spool -n __fish_use_subcommand -l context -x -a '(spool context ls --quiet 2>/dev/null)' -d 'a saved machine'",
  "complete -c spool -n __fish_use_subcommand -l node -x -a '(spool node ls --quiet 2>/dev/null)' -d 'a node of this machine'",
  "complete -c spool -n __fish_use_subcommand -l host -x -d 'the address of another machine'",
  "complete -c spool -n __fish_use_subcommand -l token-file -r -F -d 'the file with the token for it'",
];

function fish(): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = ALL.flatMap(([name, verb]) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    const kind = operandKind(verb);
    return [
      `complete -c spool -n __fish_use_subcommand -a ${name} -d ${quote(verb.summary)}`,
      ...flagsOf(verb).map(([long, flag]) => {
        const short = flag.short ? ` -s ${flag.short}` : '';
        const words = flag.words === undefined ? '' : ` -a ${quote(flag.words.join(' '))}`;
        const nodes = takesNode(flag) ? " -a '(spool node ls --quiet 2>/dev/null)'" : '';
        const value = flag.kind === 'on' ? '' : takesFiles(flag) ? ' -r -F' : ` -x${words}${nodes}`;
        const spelled = longNames([long, flag]).map((name) => ` -l ${name}`);
        return `complete -c spool ${seen}${short}${spelled.join('')}${value} -d ${quote(flag.about)}`;
      }),
      ...(kind === 'session' ? [`complete -c spool ${seen} -a '(${sessionsFor(whichOf(name))})'`] : []),
      ...(kind === 'command' ? [`complete -c spool ${seen} -a '(__fish_complete_subcommand --fcs-skip=2)'`] : []),
      ...(kind === 'words' ? fishWords(name, verb) : []),
    ];
  });
  return [
    '# fish completion for spool; made by `spool completions fish`',
    'complete -c spool -f',
    ...FISH_BEFORE,
    ...lines,
  ].join('\n');
}

/** Completes the words of an operand until one is given; then sessions, if they can follow it. */
function fishWords(name: string, verb: Verb): readonly string[] {
  const words = wordsOf(verb);
  const seen = `__fish_seen_subcommand_from ${name}; and`;
  const withSessions = words.filter((word) => word !== verb.commandAfter && word !== 'ls').join(' ');
  return [
    `complete -c spool -n '${seen} not __fish_seen_subcommand_from ${words.join(' ')}' -a '${words.join(' ')}'`,
    ...(takesSessionsLater(verb)
      ? [
          `complete -c spool -n '${seen} __fish_seen_subcommand_from ${withSessions}' -a '(${sessionsFor(whichOf(name))})'`,
        ]
      : []),
  ];
}
