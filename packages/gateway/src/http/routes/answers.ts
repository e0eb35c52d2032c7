/** The answers that only routes return. The others are those of requests (`@spool/protocol/schemas/session`). */
import { WAITED } from '@spool/protocol/schemas/session';
import { z } from 'zod';

export const output = z.strictObject({
  from: z.int().describe('the offset of the first byte; later than asked for if older output is gone'),
  next: z.int().describe('ask from here for what follows'),
  end: z.int().describe('the end of the log'),
  text: z.string().describe('as UTF-8, with escape sequences; bytes that are none are replaced'),
});

export const waited = WAITED.extend({ reason: z.string().describe('which condition held; timeout if none did') });

export const nothing = z.strictObject({});

export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: 'Problem' });
