/**
 * Serves one MCP client over stdin and stdout until it closes them. Sessions keep running.
 *
 * stdout carries only the protocol; other errors go to stderr. Keeps MCP-6 and MCP-9: the end of standard input ends the server,
 * but not a session.
 */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Daemon, type DaemonOptions } from './daemon.ts';
import { makeMcpServer } from './server.ts';

export type ServeOptions = DaemonOptions;

/** Resolves when the client has disconnected. */
export async function serve(options: ServeOptions): Promise<void> {
  await using daemon = new Daemon(options);
  const wire = new Wire();
  serveStdio(() => makeMcpServer(daemon), {
    transport: wire,
    onerror: ({ message }) => process.stderr.write(`spool mcp: ${message}\n`),
  });
  await wire.closed;
}

/** A transport that every end closes: the end of stdin, a broken stdout, a message that is too large. */
class Wire extends StdioServerTransport {
  readonly #closed = Promise.withResolvers<void>();

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed.resolve();
  }
}
