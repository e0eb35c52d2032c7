/** `spool mcp`: an MCP server for one agent on stdin and stdout. In a terminal, it explains this. */
import { serve } from '@spool/mcp';
import { isTerminal, notice } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

const mcp: VerbAction<'mcp'> = async ({ flags }, { daemonEntry, host }) => {
  if (isTerminal(0) && isTerminal(1))
    notice(
      'This is an MCP server: an agent starts it and talks to it on stdin. To add it to Claude Code: claude mcp add spool -- spool mcp\nOther agents: docs/mcp.md. Press Ctrl-D or Ctrl-C to end it; sessions keep running.',
    );
  const afar = host();
  await serve({
    env: process.env,
    daemonEntry,
    url: afar?.url,
    token: afar?.token,
    node: afar?.node,
    mayApprove: flags.allowApprove,
  });
  return 0;
};

export default mcp;
