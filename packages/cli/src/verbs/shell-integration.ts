/** `spool shell-integration`: prints the script that makes a shell mark its prompts and commands. */
import { UsageError } from '../command-line/usage-error.ts';
import { print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';
import { SHELL_SCRIPTS } from '../shell-integration/scripts.ts';

const shellIntegration: VerbAction<'shell-integration'> = async ({ flags, operands }) => {
  const shell = operands[0]!;
  if (!Object.hasOwn(SHELL_SCRIPTS, shell))
    throw new UsageError(
      `there is no integration for ${JSON.stringify(shell)}; use bash, zsh or fish`,
      'shell-integration',
    );
  const script = SHELL_SCRIPTS[shell as keyof typeof SHELL_SCRIPTS];
  if (flags.json) printJson({ shell, script });
  else print(script.trimEnd());
  return 0;
};

export default shellIntegration;
