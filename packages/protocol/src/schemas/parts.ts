/** The parts that several messages share, with their limits. */
import { z } from 'zod';

export const ID_PATTERN = /^[a-z0-9]{8,32}$/;

/** A session: its id, a unique prefix of it, or its name; '' is the latest. */
export const sessionRef = z.string().max(200);
export const shortText = z.string().max(200);
export const longText = z.string().max(10_000);
export const offset = z.int().min(0);
export const creditBytes = offset.max(16 * 1024 * 1024);
export const timeMs = z.number().describe('milliseconds since 1970');

/** A text without NUL: the kernel accepts none in arguments and environment, and would silently truncate such a string. */
export const cString = z
  .string()
  .max(512 * 1024)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL byte');

export const name = z
  .string()
  .min(1, 'must have 1 to 100 characters')
  .max(100, 'must have 1 to 100 characters')
  .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/u, 'must have no control characters');
export const labels = z.record(name, shortText);

const cells = z.int().min(1).max(10_000);
const pixels = z.int().min(0).max(100_000).optional();
export const sizeFields = { cols: cells, rows: cells, widthPx: pixels, heightPx: pixels };
export const SIZE = z.strictObject(sizeFields);

/**
 * The viewer whose size a terminal takes when several are attached: the one that last attached, typed or resized; the smallest;
 * the largest; or none.
 */
export const SIZE_POLICY = z.enum(['latest', 'smallest', 'largest', 'fixed']);

const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour, such as #a0b0c0')
  .optional();
/** Colours of the attached terminal, as `#rrggbb`; queries of the child are answered with them. */
export const COLOURS = z.object({ foreground: colour, background: colour, cursor: colour });

const digits = z.string().regex(/^\d{1,20}$/, 'must be digits');
/** Identifies exactly one process: a pid alone is reused, and means another one after a reboot or in another container. */
export const PROCESS_IDENTITY = z.strictObject({
  /** The pid of an owner may be 1, in a container. */
  pid: z.int().min(1),
  /** The clock ticks between boot and start. */
  startTicks: digits,
  bootId: shortText,
  pidNamespace: digits,
});

const programPath = cString.max(4096).regex(/^\//, 'must be an absolute path');
/** An installation that a daemon can be started from. */
export const PROGRAM_SOURCE = z.strictObject({
  /** The folder with `keeper.mjs` and the programs beside it. */
  folder: programPath,
  /** The Node that runs them. */
  node: programPath,
});
