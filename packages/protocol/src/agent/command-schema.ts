/**
 * The commands that a client may send to an agent, described once: validated where they enter, and the source of their types
 * (`commands.ts`). The driver carries them out in the order of the events log. Keeps DRV-1.
 */
import { z } from 'zod';
import {
  AGENT_ID_CHARS_MAX,
  CLIENT_ID_CHARS_MAX,
  DATA_CHARS_MAX,
  DIGEST_CHARS_MAX,
  MIME_CHARS_MAX,
  PARTS_MAX,
  SLASH_NAME,
  TEXT_CHARS_MAX,
  URI_CHARS_MAX,
} from './command-limits.ts';

const clientId = z.string().min(1).max(CLIENT_ID_CHARS_MAX);
const text = z.string().max(TEXT_CHARS_MAX);
const mime = z.string().max(MIME_CHARS_MAX);
const uri = z.string().max(URI_CHARS_MAX);
const content = z
  .array(
    z.union([
      z.strictObject({ type: z.literal('text'), text }),
      z.strictObject({
        type: z.literal('image'),
        mime,
        data: z.base64().max(DATA_CHARS_MAX).exactOptional(),
        uri: uri.exactOptional(),
      }),
      z.strictObject({
        type: z.literal('resource'),
        uri,
        mime: mime.exactOptional(),
        text: text.exactOptional(),
      }),
      z.strictObject({ type: z.literal('other'), value: z.unknown() }),
    ]),
  )
  .min(1)
  .max(PARTS_MAX);
const id = z.string().min(1).max(AGENT_ID_CHARS_MAX);
const digest = z.string().min(1).max(DIGEST_CHARS_MAX).exactOptional();
const flag = z.boolean().exactOptional();

/** The schema of a client's command. It is strict: a field of a later version would change the effect (decision 030). */
export const AGENT_COMMAND_SCHEMA = z.discriminatedUnion('do', [
  z
    .strictObject({
      do: z.literal('prompt'),
      content,
      clientId,
      when: z.enum(['now', 'next', 'queue']).exactOptional(),
    })
    .describe(
      '`queue` (the default): after the running turn. `next`: before the other waiting prompts. `now`: into the running turn (steer).',
    ),
  z.strictObject({ do: z.literal('editPrompt'), clientId, content }),
  z
    .strictObject({ do: z.literal('movePrompt'), clientId, before: clientId.exactOptional() })
    .describe('Moves a waiting prompt before another one, or to the end.'),
  z.strictObject({ do: z.literal('cancelPrompt'), clientId }),
  z
    .strictObject({ do: z.literal('sendPrompt'), clientId })
    .describe(
      'Sends a waiting prompt into the running turn (steer). An agent that cannot do that refuses it: the prompt continues to wait.',
    ),
  z.strictObject({ do: z.literal('interrupt'), alsoQueued: flag }),
  z
    .strictObject({
      do: z.literal('permission'),
      request: id,
      digest,
      option: id.exactOptional(),
      behavior: z.enum(['allow', 'deny']).exactOptional(),
      input: z.unknown().exactOptional(),
      message: text.exactOptional(),
      interrupt: flag,
      once: flag,
    })
    .describe(
      [
        'Answers a permission: by the id of an option, or by behaviour if only one option has it. `digest` is the digest of the',
        'request that the author of the answer was shown: allowing without it, or with another one, is refused. `input` replaces',
        'the input that was shown. `once` refuses an option that allows more than this one request.',
      ].join(' '),
    ),
  z
    .strictObject({
      do: z.literal('answer'),
      request: id,
      digest,
      answers: z.record(z.string(), z.unknown()).exactOptional(),
    })
    .describe('Answers a question; answers need the digest of the question. Without answers: declined.'),
  z.strictObject({ do: z.literal('setMode'), mode: id }),
  z.strictObject({ do: z.literal('setModel'), model: id }),
  z.strictObject({
    do: z.literal('slash'),
    name: z.string().regex(SLASH_NAME),
    args: text.exactOptional(),
    clientId: clientId.exactOptional(),
  }),
  z.strictObject({ do: z.literal('toolOutput'), tool: id }),
  z.strictObject({ do: z.literal('background'), tool: id.exactOptional() }),
  z.strictObject({ do: z.literal('stopTask'), task: id }),
  z.strictObject({ do: z.literal('close') }),
]);
