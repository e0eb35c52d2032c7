/** The answers of the gateway that only the page needs, described once. */
import { z } from 'zod';
import { ROLES } from '../roles.ts';
import { timeMs } from './parts.ts';

/** A page of matches in the output of a session, the latest first. */
export const SEARCH_PAGE = z.strictObject({
  matches: z.array(
    z.strictObject({
      /** The offset at which the screen shows the line, and no output after it. */
      offset: z.int(),
      text: z.string(),
      /** The offset at which the same line was first seen, without another match in between: programs repaint. */
      firstOffset: z.int(),
    }),
  ),
  next: z.int().nullable().describe('ask again with `before` this; null if everything was searched'),
});

/** A file or folder, to look at. */
export const FILE_PREVIEW = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('folder'),
    entries: z.array(z.strictObject({ name: z.string(), type: z.enum(['folder', 'file', 'link', 'other']) })),
    isCut: z.boolean(),
  }),
  z.strictObject({ type: z.literal('text'), text: z.string(), bytes: z.int(), isCut: z.boolean() }),
  z.strictObject({ type: z.literal('image'), mime: z.string(), base64: z.string(), bytes: z.int() }),
  z.strictObject({ type: z.literal('binary'), bytes: z.int() }),
]);

/** The changes in a working tree. */
export const WORKING_TREE = z.discriminatedUnion('isRepository', [
  z.strictObject({ isRepository: z.literal(false) }),
  z.strictObject({
    isRepository: z.literal(true),
    branch: z.string(),
    diff: z.string(),
    isCut: z.boolean(),
    untracked: z.array(z.string()),
  }),
]);

export const FOLDER_LIST = z.strictObject({
  /** The absolute paths, sorted. */
  folders: z.array(z.string()),
  /** Whether there are more folders. */
  isCut: z.boolean(),
});

export const PUSH_SUBSCRIPTION = z.strictObject({
  id: z.string(),
  service: z.string().describe('the origin of the push service'),
  createdAt: timeMs,
});

/** The key for web push, and the subscriptions of a token. */
export const PUSH_STATE = z.strictObject({ publicKey: z.string(), subscriptions: z.array(PUSH_SUBSCRIPTION) });

/** The identity of a client at the gateway. */
export const IDENTITY = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  expiresAt: timeMs.nullable(),
});

/** A pass of a page, for some minutes. */
export const ISSUED_PASS = z.strictObject({ pass: z.string(), passMs: z.number() });
