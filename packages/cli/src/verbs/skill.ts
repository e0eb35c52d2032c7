/** `spool skill`: prints a skill file that teaches an agent this command line. */
import type { VerbAction } from '../program.ts';
import { SKILL } from '../skill.ts';
import { print, printJson } from '../output/stdio.ts';

const skill: VerbAction<'skill'> = async ({ flags }) => {
  if (flags.json) printJson({ name: 'spool', skill: SKILL });
  else print(SKILL.trimEnd());
  return 0;
};

export default skill;
