/** `spool mcp`: an MCP server for one agent on stdin and stdout. */
import { serve } from '@spool/mcp';
import type { VerbAction } from '../program.ts';

const mcp: VerbAction<'mcp'> = async (_args, { daemonEntry }) => {
  await serve({ env: process.env, daemonEntry });
  return 0;
};

export default mcp;
