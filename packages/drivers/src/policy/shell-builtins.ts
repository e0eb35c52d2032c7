/**
 * The builtin commands of bash, dash, zsh, ksh and fish. One of them may change the shell in which the rest of the line runs (its
 * folder, variables, aliases), so without a grammar it is allowed only as a line by itself.
 */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    '. : [ abbr alias argparse autoload bg bind bindkey block break breaksw builtin bye caller case cd chdir command commandline ' +
    'comparguments compcall compctl compdescribe compfiles compgen compgroups complete compopt compquote comptags comptry compvalues ' +
    'contains continue coproc count declare dirs disable disown echotc echoti emit emulate enable eval exec exit export false fc fg ' +
    'float functions funcsave fish_config fish_update_completions getcap getln getopts hash hist history if integer isatty jobs kill ' +
    'let limit local log logout math mapfile nameref newgrp nextd noglob popd prevd print psub pushd pushln r read readarray ' +
    'readonly rehash return sched select set set_color setcap setopt setty shift shopt source stat status string suspend test time ' +
    'times trap true ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence where which ' +
    'while zcompile zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle ztcp'
  ).split(' '),
);

export function isShellBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
