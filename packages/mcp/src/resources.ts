/** Sessions as resources, for clients that let the user choose what the model sees: the list, the end of a log, a screen. */
import {
  type ListResourcesCallback,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Client, SpoolError } from '@spool/client/node';
import { readTail } from './reading.ts';
import { screenLines } from './screen-text.ts';
import { listLine } from './session-words.ts';
import { listed } from './tools/sessions.ts';

const LOG_BYTES = 32 * 1024;
/** The number of sessions offered, the latest first. */
const LISTED_MAX = 20;
const TEXT = 'text/plain';

export function registerResources(server: McpServer, clientFor: (context: ServerContext) => Promise<Client>): void {
  server.registerResource(
    'sessions',
    'spool://sessions',
    { description: 'all sessions, one per line', mimeType: TEXT },
    async (uri, context) => contents(uri, await listed(await clientFor(context), true)),
  );
  view(
    'log',
    "the end of a session's output as text",
    async (context) => ({ resources: await logs(await clientFor(context)) }),
    async (client, id) => {
      const { text, from } = await readTail(client, await client.get(id), { textBytesMax: LOG_BYTES });
      return from > 0 ? `[${from} bytes before this are omitted]\n${text}` : text;
    },
  );
  view('screen', "a session's screen as text", undefined, async (client, id) =>
    screenLines((await client.screen(id)).content).join('\n'),
  );

  function view(
    name: string,
    description: string,
    list: ListResourcesCallback | undefined,
    textOf: (client: Client, id: string) => Promise<string>,
  ): void {
    const template = new ResourceTemplate(`spool://session/{id}/${name}`, { list });
    server.registerResource(name, template, { description, mimeType: TEXT }, async (uri, { id }, context) =>
      contents(uri, await textOf(await clientFor(context), String(id)).catch(notFound(uri))),
    );
  }
}

async function logs(client: Client): Promise<{ uri: string; name: string; mimeType: string }[]> {
  const sessions = await client.list({ order: 'newest', limit: LISTED_MAX });
  return sessions.map((session) => ({
    uri: `spool://session/${session.id}/log`,
    name: listLine(session),
    mimeType: TEXT,
  }));
}

/** Throws the error that the protocol requires. */
function notFound(uri: URL): (error: unknown) => never {
  return (error) => {
    throw SpoolError.is(error, 'SESSION_UNKNOWN') ? new ResourceNotFoundError(uri.href) : error;
  };
}

function contents(uri: URL, text: string): { contents: { uri: string; mimeType: string; text: string }[] } {
  return { contents: [{ uri: uri.href, mimeType: TEXT, text }] };
}
