/**
 * A request with an input that the user has edited. The edited input is shown whole before it is allowed, like the agent's own, and
 * the answer contains exactly that input. Keeps CARD-16.
 */
import type { RequestEvent } from '@spool/client';

type Permission = Extract<RequestEvent, { readonly kind: 'permission.requested' }>;

/** The texts of an input, by the names of their members. */
export type EditedTexts = Readonly<Record<string, string>>;

/** Returns the texts that can be edited; null if there are none, or the agent's protocol accepts no other input (REQ-9). */
export function editableTexts(event: RequestEvent): EditedTexts | null {
  if (event.kind !== 'permission.requested' || event.source !== 'claude' || event.isCut === true) return null;
  const { input } = event;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  const texts = Object.entries(input).filter((member): member is [string, string] => typeof member[1] === 'string');
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

/**
 * Returns the request in the form that would be allowed. The agent's changes and call belong to the old input, so they are left
 * out.
 */
export function editedRequest(event: Permission, texts: EditedTexts): Permission {
  const { call: _call, diffs: _diffs, ...rest } = event;
  return { ...rest, input: { ...(event.input as object), ...texts } };
}

export function isEdited(before: EditedTexts, after: EditedTexts): boolean {
  return Object.entries(after).some(([name, text]) => before[name] !== text);
}
