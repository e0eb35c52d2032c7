/** `spool completions`: scripts for the shells, made from the table of verbs. Sessions are completed by `spool ls -q`. */
import { COMMON_FLAGS, type Flag, type Verb } from '../arguments.ts';
import type { VerbAction } from '../program.ts';
import { print, printJson } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';
import { VERBS } from '../verb-table.ts';

const completions: VerbAction<'completions'> = async ({ flags, operands }) => {
  const shell = operands[0]!;
  if (!Object.hasOwn(SCRIPTS, shell))
    throw new UsageError(
      `there are no completions for ${JSON.stringify(shell)}; write bash, zsh or fish`,
      'completions',
    );
  const script = SCRIPTS[shell as keyof typeof SCRIPTS]();
  if (flags.json) printJson({ shell, script });
  else print(script);
  return 0;
};

export default completions;

const ALL: readonly (readonly [string, Verb])[] = Object.entries(VERBS);

const SCRIPTS = { bash, zsh, fish };

function flagsOf(verb: Verb): readonly (readonly [string, Flag])[] {
  return Object.entries({ ...verb.flags, ...COMMON_FLAGS } as Record<string, Flag>);
}

/** What can stand where no flag does. */
function operandKind(verb: Verb): 'session' | 'command' | 'words' | 'none' {
  const [first = ''] = verb.operands;
  if (first.startsWith('COMMAND')) return 'command';
  if (/\bID\b/.test(first)) return 'session';
  return first.includes('|') ? 'words' : 'none';
}

/** Words of an operand such as `start|stop|status`. */
function wordsOf(verb: Verb): readonly string[] {
  return operandKind(verb) === 'words' ? verb.operands[0]!.split('|') : [];
}

function bash(): string {
  const cases = ALL.map(([name, verb]) => {
    const flags = flagsOf(verb).flatMap(([long, flag]) => [`--${long}`, ...(flag.short ? [`-${flag.short}`] : [])]);
    const values = flagsOf(verb)
      .filter(([, flag]) => flag.kind !== 'on')
      .flatMap(([long, flag]) => [`--${long}`, ...(flag.short ? [`-${flag.short}`] : [])]);
    return `    ${name}) flags='${flags.join(' ')}' valued='${values.join(' ')}' kind=${operandKind(verb)} words='${wordsOf(verb).join(' ')}' ;;`;
  });
  return `# bash completion for spool; made by \`spool completions bash\`
_spool() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} flags= valued= kind=none words= at
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...ALL.map(([name]) => name), 'help'].join(' ')}' -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
    help) COMPREPLY=($(compgen -W '${ALL.map(([name]) => name).join(' ')}' -- "$cur")); return ;;
${cases.join('\n')}
  esac
  if [[ $kind == command ]]; then
    for ((at = 2; at < COMP_CWORD; at++)); do
      if [[ \${COMP_WORDS[at]} == -- ]]; then ((at++)); break; fi
      if [[ \${COMP_WORDS[at]} != -* ]]; then break; fi
      if [[ " $valued " == *" \${COMP_WORDS[at]} "* ]]; then ((at++)); fi
    done
    if ((at < COMP_CWORD)); then
      if declare -F _command_offset >/dev/null; then _command_offset "$at"; else COMPREPLY=($(compgen -f -- "$cur")); fi
      return
    fi
  fi
  if [[ " $valued " == *" $prev "* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    case $kind in
      session) COMPREPLY=($(compgen -W "$(spool ls -q 2>/dev/null)" -- "$cur")) ;;
      command) COMPREPLY=($(compgen -c -- "$cur")) ;;
      words) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    esac
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
          : `:${quote(flag.value ?? 'value').replaceAll(/[[\]:]/g, '')}:${/DIR|FILE/.test(flag.value ?? '') ? '_files' : ' '}`;
      const names = flag.short ? `{-${flag.short},--${long}}` : `--${long}`;
      const prefix = flag.many ? "'*'" : flag.short ? `'(-${flag.short} --${long})'` : '';
      return `${prefix}${names}'[${about}]${value}'`;
    });
    const kind = operandKind(verb);
    const operand = {
      session: verb.operands.length > 1 ? ["'1:session:_spool_sessions'", "'*: : '"] : ["'*:session:_spool_sessions'"],
      command: ["'(-)1:command:_command_names -e'", "'*::arguments:_normal'"],
      words: [`'1:word:(${wordsOf(verb).join(' ')})'`],
      none: [],
    }[kind];
    return `    ${name}) _arguments -s -S ${[...specs, ...operand].join(' ')} ;;`;
  });
  return `#compdef spool
# zsh completion for spool; made by \`spool completions zsh\`
_spool_sessions() {
  local -a sessions
  sessions=(\${(f)"$(spool ls -q 2>/dev/null)"})
  compadd -a sessions
}
_spool() {
  local -a verbs
  verbs=(
${[...ALL.map(([name, verb]) => [name, verb.summary] as const), ['help', 'show help'] as const].map(([name, about]) => `    '${name}:${quote(about)}'`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe verb verbs
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

function fish(): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = ALL.flatMap(([name, verb]) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    const kind = operandKind(verb);
    return [
      `complete -c spool -n __fish_use_subcommand -a ${name} -d ${quote(verb.summary)}`,
      ...flagsOf(verb).map(([long, flag]) => {
        const short = flag.short ? ` -s ${flag.short}` : '';
        const value = flag.kind === 'on' ? '' : /DIR|FILE/.test(flag.value ?? '') ? ' -r -F' : ' -x';
        return `complete -c spool ${seen}${short} -l ${long}${value} -d ${quote(flag.about)}`;
      }),
      ...(kind === 'session' ? [`complete -c spool ${seen} -a '(spool ls -q 2>/dev/null)'`] : []),
      ...(kind === 'command' ? [`complete -c spool ${seen} -a '(__fish_complete_subcommand --fcs-skip=2)'`] : []),
      ...(kind === 'words' ? [`complete -c spool ${seen} -a '${wordsOf(verb).join(' ')}'`] : []),
    ];
  });
  return ['# fish completion for spool; made by `spool completions fish`', 'complete -c spool -f', ...lines].join('\n');
}
