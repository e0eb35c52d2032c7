/** `spool version`. */
import { PROTOCOL_VERSION, VERSION } from '@spool/protocol';
import type { VerbAction } from '../program.ts';
import { print, printJson } from '../output/stdio.ts';

const version: VerbAction<'version'> = async ({ flags }) => {
  if (flags.json) printJson({ version: VERSION, protocol: PROTOCOL_VERSION, node: process.version });
  else print(`spool ${VERSION}`);
  return 0;
};

export default version;
