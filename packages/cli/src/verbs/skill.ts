/** `spool skill`: what an agent should know about this command line, as a file for its skills. */
import type { VerbAction } from '../program.ts';
import { SKILL } from '../skill.ts';
import { print, printJson } from '../output/stdio.ts';

const skill: VerbAction<'skill'> = async ({ flags }) => {
  if (flags.json) printJson({ name: 'spool', skill: SKILL });
  else print(SKILL.trimEnd());
  return 0;
};

export default skill;
