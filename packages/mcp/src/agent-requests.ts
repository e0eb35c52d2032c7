/**
 * Shows the requests of an agent without a terminal to another agent that may answer them: each whole, with its id and its
 * digest, or its beginning, the exact number of lines that follow, and how to read them. Keeps MCP-12.
 */
import type { RequestEvent } from '@spool/client';
import type { Client } from '@spool/client/node';
import { visible, visibleTitle } from '@spool/protocol';
import { requestSubject } from '@spool/protocol/agent';
import { requestText } from '@spool/render';
import { CallError } from './tool.ts';

const REQUEST_WIDTH = 120;
/** The limit of all requests in one answer. The first request always has its share. */
const CHARACTERS_MAX = 16 * 1024;
const HEADLINE_CHARACTERS_MAX = 300;

/** Returns the pending permissions and questions, each after a line break; '' if there are none. */
export async function askedText(client: Client, session: string): Promise<string> {
  const requests = await (await client.openAgent(session)).requests();
  let text = '';
  for (const [at, event] of requests.entries()) {
    const room = CHARACTERS_MAX - text.length;
    if (at > 0 && room < requestText(event, REQUEST_WIDTH).length) {
      const rest = requests.slice(at).map(({ request }) => JSON.stringify(request));
      return `${text}\n${rest.length} more wait: ${visible(rest.join(', '))}; read each with spool_read and request`;
    }
    const { lines, nextLine, left } = linesFrom(event, 0, room);
    const more = left === 0 ? '' : `\n[${left} more lines: spool_read with this request and cursor ${nextLine}]`;
    text += `\n${requestHead(event)}\n${lines.join('\n')}${more}`;
  }
  return text;
}

/** Returns the lines of one request from a line on. */
export async function readRequestLines(
  client: Client,
  session: string,
  { request, from, charactersMax }: { readonly request: string; readonly from: number; readonly charactersMax: number },
): Promise<string> {
  const event = await findRequest(client, session, request);
  const { lines, nextLine, left } = linesFrom(event, from, charactersMax);
  const rest = left === 0 ? 'the end' : `${left} more lines`;
  return [`nextCursor ${nextLine}; ${rest}`, requestHead(event), ...lines].join('\n');
}

/** Returns the pending request with this id. */
export async function findRequest(client: Client, session: string, request: string): Promise<RequestEvent> {
  const event = await (await client.openAgent(session)).request(request);
  if (event) return event;
  const { name, status } = await client.get(session);
  const known = (status.requests ?? []).map((each) => JSON.stringify(each.request)).join(', ');
  const hint = known === '' ? 'it asks nothing' : `it asks ${visible(known)}`;
  throw new CallError(`${visibleTitle(name, HEADLINE_CHARACTERS_MAX)}: no request ${JSON.stringify(request)}; ${hint}`);
}

/** Returns the tool and its input, for the confirmation of an answer. The words of the agent are not used. */
export function headlineOf(event: RequestEvent): string {
  if (event.kind === 'question.asked') return visibleTitle(event.questions[0]?.text ?? '', HEADLINE_CHARACTERS_MAX);
  const name = visibleTitle(event.name ?? 'a tool without a name', HEADLINE_CHARACTERS_MAX);
  return `${name}: ${requestSubject(event, HEADLINE_CHARACTERS_MAX)}`;
}

function requestHead(event: RequestEvent): string {
  const head = `request ${quoted(event.request)}, digest ${quoted(event.digest ?? '')}`;
  if (event.kind === 'question.asked') return head;
  if (event.options.length === 0) return head;
  const options = event.options.map(({ id, label, kind }) => `${quoted(id)} (${visible(label)}; ${kind})`);
  return `${head}, options ${options.join(', ')}`;
}

const quoted = (text: string): string => visible(JSON.stringify(text));

interface RequestPart {
  readonly lines: readonly string[];
  readonly nextLine: number;
  /** The number of lines that follow. */
  readonly left: number;
}

/** Returns at least one line, so that repeated reading ends. */
function linesFrom(event: RequestEvent, from: number, charactersMax: number): RequestPart {
  const all = requestText(event, REQUEST_WIDTH).split('\n');
  let nextLine = Math.min(from, all.length);
  let characters = 0;
  const first = nextLine;
  while (nextLine < all.length && (nextLine === first || characters + all[nextLine]!.length < charactersMax))
    characters += all[nextLine++]!.length + 1;
  return { lines: all.slice(first, nextLine), nextLine, left: all.length - nextLine };
}
