/** The limits of a command's parts and of pending requests, for the schema (with zod) and for the driver's own check (without). */

/** The maximum length of one prompt, answer or message to the agent. */
export const TEXT_CHARS_MAX = 1024 * 1024;
/** The maximum length of an image, as base64. */
export const DATA_CHARS_MAX = 12 * 1024 * 1024;
export const PARTS_MAX = 100;
export const MIME_CHARS_MAX = 100;
export const URI_CHARS_MAX = 10_000;
/** The maximum length of an id that a client chooses. */
export const CLIENT_ID_CHARS_MAX = 200;
/** The maximum length of an id that an agent chooses: of a request, an option, a mode, a model, a tool or a task. */
export const AGENT_ID_CHARS_MAX = 1000;
export const DIGEST_CHARS_MAX = 100;
/** The maximum of pending requests of one agent: a person does not read more. */
export const REQUESTS_OPEN_MAX = 128;
/** Matches the name of a slash command. */
export const SLASH_NAME = /^[\w:.-]{1,200}$/;
