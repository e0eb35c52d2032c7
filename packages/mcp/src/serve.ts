/**
 * Serves one MCP client over standard input and output, until it closes them. Sessions go on.
 *
 * Standard output holds the protocol and nothing else; what goes wrong around it is told on standard error.
 */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Daemon, type DaemonOptions } from './daemon.ts';
import { makeServer } from './server.ts';

export type ServeOptions = DaemonOptions;

/** Resolves when the client has gone. */
export async function serve(options: ServeOptions): Promise<void> {
  await using daemon = new Daemon(options);
  const wire = new Wire();
  serveStdio(() => makeServer(daemon), {
    transport: wire,
    onerror: ({ message }) => process.stderr.write(`spool mcp: ${message}\n`),
  });
  await wire.closed;
}

/** Closing is what every end comes to: the end of the input, a broken output, a message that is too large. */
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
