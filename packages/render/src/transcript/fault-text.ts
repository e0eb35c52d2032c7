/** Finds the words of an error: several agents pass on the JSON of their model's server as the message. */

/** Returns the message in a text that is JSON, or that ends with JSON; otherwise the text. */
export function unwrapFault(text: string): string {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}') + 1;
  if (from === -1 || to <= from) return text;
  let value: unknown;
  try {
    value = JSON.parse(text.slice(from, to));
  } catch {
    return text;
  }
  const message = messageOf(value);
  return message === undefined ? text : `${text.slice(0, from)}${message}${text.slice(to)}`;
}

function messageOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message } = value as Readonly<Record<string, unknown>>;
  if (typeof message === 'string' && message !== '') return unwrapFault(message);
  if (typeof error === 'string' && error !== '') return error;
  return messageOf(error);
}
