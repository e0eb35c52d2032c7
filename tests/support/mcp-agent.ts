/** An agent that uses `spool mcp`: a real MCP client over standard input and output. */
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SPOOL, type TestDaemon } from '@spool/testkit';

const SHELL = ['bash', '--norc', '--noprofile', '-i'];
/** A value in the environment of the server, which must never be in that of a session. */
const SECRET = 'mcp-test-secret';

/** An agent with the tools of one daemon. */
export class McpAgent implements AsyncDisposable {
  readonly #transport: StdioClientTransport;
  readonly client: Client;
  pid = 0;

  private constructor(daemon: TestDaemon, mode: 'legacy' | 'auto', flags: readonly string[], own: readonly string[]) {
    const env = { ...daemon.env, AGENT_SECRET: SECRET, PS1: '$ ' } as Record<string, string>;
    this.#transport = new StdioClientTransport({
      command: SPOOL,
      args: [...flags, 'mcp', ...own],
      env,
      stderr: 'inherit',
    });
    this.client = new Client({ name: 'test-agent', version: '1.2.3' }, { versionNegotiation: { mode } });
  }

  /** Starts an agent; `flags` come before the verb, `own` after it. */
  static async of(
    daemon: TestDaemon,
    mode: 'legacy' | 'auto' = 'legacy',
    flags: readonly string[] = [],
    own: readonly string[] = [],
  ): Promise<McpAgent> {
    const agent = new McpAgent(daemon, mode, flags, own);
    await agent.client.connect(agent.#transport);
    agent.pid = agent.#transport.pid!;
    return agent;
  }

  async call(
    name: string,
    args: object = {},
    signal?: AbortSignal,
  ): Promise<CallToolResult & { readonly text: string }> {
    const params = { name, arguments: { ...args } };
    const result = (await this.client.callTool(params, signal && { signal })) as CallToolResult;
    const [content] = result.content;
    return { ...result, text: content?.type === 'text' ? content.text : '' };
  }

  /** Returns the text of an answer that is not an error. */
  async text(name: string, args: object = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }

  async run(command: string | readonly string[], options: object = {}): Promise<string> {
    return /^session (\w+)/.exec(await this.text('spool_run', { command, ...options }))![1]!;
  }

  async shell(): Promise<string> {
    const id = await this.run(SHELL, { env: { PS1: '$ ' } });
    await this.text('spool_wait', { sessions: [id], until: ['prompt'] });
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
