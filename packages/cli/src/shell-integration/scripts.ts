/**
 * Scripts that make a shell mark its prompts and commands (OSC 133), report the text of a command (OSC 633;E) and its
 * folder (OSC 7). With them Spool knows which command runs, how it ended and when the shell waits.
 *
 * They are active only inside a session, change no setting without need, and keep `$?`. A command that the shell leaves out of its
 * history (a leading space) is marked without its text. Keeps SHELL-1.
 */
export type IntegratedShell = 'bash' | 'zsh' | 'fish';

/** Bash 4.4 or newer: PS0 is printed when a command starts. */
const BASH = String.raw`# Spool's marks for bash 4.4 or newer. Put this at the end of ~/.bashrc:
#   eval "$(spool shell-integration bash)"
if [[ $- == *i* && -n \${SPOOL_SESSION-} && -z \${__spool_history-} ]]; then
  __spool_history='\!'
  __spool_number=
  __spool_ran=
  __spool_empty=

  __spool_command_end() {
    local code=$?
    if [[ -n $__spool_ran ]]; then printf '\e]133;D;%s\a' "$code"; fi
    __spool_ran=
    __spool_number=$HISTCMD
    return "$code"
  }

  # The prompt is marked last, because other prompt commands may set PS1.
  __spool_mark_prompt() {
    local code=$? path
    if [[ $PS1 != *'\e]133;A\a'* ]]; then PS1='\[\e]133;A\a\]'"$PS1"'\[\e]133;B\a\]'; fi
    if [[ $PS0 != *__spool_command_start* ]]; then PS0=\${PS0-}'$(__spool_command_start)\${__spool_empty:__spool_ran=1:0}'; fi
    __spool_url "$PWD" path
    printf '\e]7;file://%s%s\a' "\${HOSTNAME-}" "$path"
    return "$code"
  }

  # Runs in a subshell. The number shows whether the history has this command.
  __spool_command_start() {
    if [[ $HISTCMD != "$__spool_number" ]]; then
      local text
      text=$(HISTTIMEFORMAT= builtin history 1)
      text=\${text#*[0-9]  }
      text=\${text//'\'/'\\'}
      text=\${text//;/'\x3b'}
      text=\${text//$'\n'/'\x0a'}
      text=\${text//$'\e'/'\x1b'}
      printf '\e]633;E;%s\a' "\${text//$'\a'/'\x07'}"
    fi
    printf '\e]133;C\a'
  }

  # Percent-encodes the bytes of $1 into the variable $2.
  __spool_url() {
    local LC_ALL=C text=$1 result= at byte
    for ((at = 0; at < \${#text}; at++)); do
      byte=\${text:at:1}
      if [[ $byte == [a-zA-Z0-9/._~-] ]]; then result+=$byte
      else
        printf -v byte '%d' "'$byte"
        printf -v byte '%%%02X' "$((byte & 255))"
        result+=$byte
      fi
    done
    printf -v "$2" %s "$result"
  }

  if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__spool_command_end "\${PROMPT_COMMAND[@]}" __spool_mark_prompt)
  else
    PROMPT_COMMAND="__spool_command_end\${PROMPT_COMMAND:+; $PROMPT_COMMAND}; __spool_mark_prompt"
  fi
fi`;

const ZSH = String.raw`# Spool's marks for zsh. Put this at the end of ~/.zshrc:
#   eval "$(spool shell-integration zsh)"
if [[ -o interactive && -n \${SPOOL_SESSION-} && -z \${__spool_marks-} ]]; then
  typeset -g __spool_marks=1 __spool_ran=

  __spool_precmd() {
    local code=$?
    if [[ -n $__spool_ran ]]; then print -n "\e]133;D;$code\a"; fi
    __spool_ran=
    if [[ $PS1 != *$'\e]133;A\a'* ]]; then PS1=$'%{\e]133;A\a%}'$PS1$'%{\e]133;B\a%}'; fi
    print -rn -- $'\e]7;file://'"\${HOST}$(__spool_url "$PWD")"$'\a'
    return $code
  }

  __spool_preexec() {
    __spool_ran=1
    # A command with a leading space is one that the user keeps out of the history.
    if [[ $1 != ' '* ]]; then
      local text=$1
      text=\${text//'\'/'\\'}
      text=\${text//;/'\x3b'}
      text=\${text//$'\n'/'\x0a'}
      text=\${text//$'\e'/'\x1b'}
      print -rn -- $'\e]633;E;'"\${text//$'\a'/'\x07'}"$'\a'
    fi
    print -n '\e]133;C\a'
  }

  __spool_url() {
    emulate -L zsh
    unsetopt multibyte
    local text=$1 result= at byte
    for ((at = 1; at <= $#text; at++)); do
      byte=$text[at]
      if [[ $byte == [a-zA-Z0-9/._~-] ]]; then result+=$byte
      else result+=%\${(l:2::0:)$(( [##16] #byte ))}
      fi
    done
    print -rn -- $result
  }

  autoload -Uz add-zsh-hook
  add-zsh-hook precmd __spool_precmd
  add-zsh-hook preexec __spool_preexec
fi`;

/** Fish 4 marks prompts and commands without help. */
const FISH = String.raw`# Spool's marks for fish. Put this at the end of ~/.config/fish/config.fish:
#   spool shell-integration fish | source
if status is-interactive; and set -q SPOOL_SESSION; and not set -q __spool_marks
    set -g __spool_marks 1

    function __spool_folder --on-variable PWD
        printf '\e]7;file://%s%s\a' $hostname (string escape --style=url -- $PWD)
    end
    __spool_folder

    if test (string split . -- $version)[1] -lt 4
        function __spool_command_start --on-event fish_preexec
            if string match -q ' *' -- $argv[1]
                printf '\e]133;C\a'
            else
                printf '\e]133;C;cmdline_url=%s\a' (string escape --style=url -- $argv[1] | string collect)
            end
        end

        function __spool_command_end --on-event fish_postexec
            printf '\e]133;D;%s\a' $status
        end

        functions -q fish_prompt; or fish_prompt >/dev/null
        functions -c fish_prompt __spool_prompt
        function fish_prompt
            set -l code $status
            printf '\e]133;A\a'
            # The user's prompt may show the exit code.
            __spool_code $code
            __spool_prompt
            printf '\e]133;B\a'
        end

        function __spool_code
            return $argv[1]
        end
    end
end`;

/** `String.raw` keeps the backslash that stops `${` from being JavaScript's. */
const shellText = (template: string): string => `${template.replaceAll('\\${', '${')}\n`;

export const SHELL_SCRIPTS: Readonly<Record<IntegratedShell, string>> = {
  bash: shellText(BASH),
  zsh: shellText(ZSH),
  fish: shellText(FISH),
};
