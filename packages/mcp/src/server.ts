/**
 * The MCP server: registers the tools and resources, and answers calls. There is one per connection. Keeps MCP-1: few tools, and
 * resources for long texts. Keeps MCP-14, and MCP-15 with `node-argument.ts`.
 */
import { type CallToolResult, CLIENT_INFO_META_KEY, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { VERSION } from '@spool/protocol';
import { requestFault } from '@spool/protocol/request-fault';
import type { Daemon } from './daemon.ts';
import { failureText } from './failure.ts';
import { shownSchema } from './lean-schema.ts';
import { splitNode, withNode } from './node-argument.ts';
import { registerResources } from './resources.ts';
import type { ToolData, AnyTool } from './tool.ts';
import { agentTool, decideTool, interruptTool } from './tools/agents.ts';
import { keysTool, promptTool, sendTool } from './tools/input.ts';
import { readTool, screenTool } from './tools/output.ts';
import { listTool, runTool, stopTool } from './tools/sessions.ts';
import { taskAwaitTool, taskRunTool } from './tools/tasks.ts';
import { waitTool } from './tools/wait.ts';

const TOOLS: readonly AnyTool[] = [
  runTool,
  listTool,
  readTool,
  screenTool,
  sendTool,
  keysTool,
  promptTool,
  waitTool,
  stopTool,
  taskRunTool,
  taskAwaitTool,
  agentTool,
  interruptTool,
];

/** Instructions that the model reads once, together with the tools. */
const INSTRUCTIONS = [
  'A session is a command in a terminal; it keeps running after you exit. Offsets (cursors) count its bytes of output.',
  'To run a command to completion: spool_task_run. For a server, a shell or another agent: spool_run, then spool_prompt, spool_wait',
  '(idle, blocked, match:/RE/) and spool_read with the last nextCursor, which returns only new output.',
  'For full-screen programs and agents, use spool_screen.',
].join(' ');

export function makeMcpServer(daemon: Daemon): McpServer {
  const server = new McpServer(
    { name: 'spool', version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  const agentOf = (context: ServerContext): string => agentName(server, context);
  const tools: readonly AnyTool[] = daemon.mayApprove ? [...TOOLS, decideTool] : TOOLS;
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: shownSchema(withNode(tool.input, daemon.nodeNames().length > 0)),
        ...(tool.output && { outputSchema: shownSchema(tool.output) }),
        annotations: tool.hints,
      },
      async (args, context) => {
        try {
          const nodes = daemon.nodeNames();
          const { node, args: own } = splitNode(args, nodes);
          const parsed = tool.input.safeParse(own);
          if (!parsed.success)
            return makeFailure(`${tool.name}: ${requestFault(parsed.error.issues).sentence}; nothing was done`);
          const agent = agentOf(context);
          const client = await daemon.client(agent, node);
          const { signal } = context.mcpReq;
          const hasNodes = node === undefined && nodes.length > 0;
          return resultOf(await tool.call(parsed.data, { client, agent, signal, env: daemon.env, hasNodes }), node);
        } catch (error) {
          return makeFailure(failureText(error));
        }
      },
    );
  }
  registerResources(server, (context) => daemon.client(agentOf(context)));
  return server;
}

function makeFailure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function resultOf({ text, data }: ToolData, node: string | undefined): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: node === undefined ? data : { ...data, node },
  };
}

const AGENT_CHARACTERS_MAX = 40;

/** Returns the name of the client: sent with each request, or (before 2026) once at the beginning. */
function agentName({ server }: McpServer, { mcpReq }: ServerContext): string {
  const envelope = mcpReq.envelope as Readonly<Record<string, { readonly name?: string } | undefined>> | undefined;
  const name = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name ?? '';
  return name.replaceAll(/[^\w.@/ -]/g, '').slice(0, AGENT_CHARACTERS_MAX) || 'client';
}
