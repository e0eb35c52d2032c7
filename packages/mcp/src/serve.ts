/**
 * Serves one MCP client over stdin and stdout until it closes them. Sessions keep running.
 *
 * stdout carries only the protocol; other errors go to stderr. Keeps MCP-6 and MCP-9: the end of standard input ends the server,
 * but not a session.
 */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Daemon, type DaemonOptions } from './daemon.ts';
import { InputLines } from './input-lines.ts';
import { makeMcpServer } from './server.ts';

export type ServeOptions = DaemonOptions;

/** Resolves when the client has disconnected. */
export async function serve(options: ServeOptions): Promise<void> {
  await using daemon = new Daemon(options);
  const lines = new InputLines((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  process.stdin.on('data', (bytes: Buffer) => lines.take(bytes));
  process.stdin.on('end', () => lines.end());
  process.stdin.on('close', () => lines.end());
  const wire = new Wire(lines.stream);
  serveStdio(() => makeMcpServer(daemon), {
    transport: wire,
    onerror: ({ message }) => process.stderr.write(`spool mcp: ${message}\n`),
  });
  await wire.closed;
  process.stdin.pause(); // nothing more is read, even if it was stdout that ended
}

/** A transport that closes at every end: the end of stdin, or a broken stdout. */
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
