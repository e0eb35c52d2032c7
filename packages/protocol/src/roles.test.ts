import { expect, test } from 'vitest';
import { FrameType } from './frame.ts';
import { FRAME_ROLES, mayDo, OP_ROLES, ROLES } from './roles.ts';
import { REQUEST_SCHEMAS } from './schemas/requests.ts';

test('[DOOR-9] every request and every frame has a row', () => {
  expect(Object.keys(OP_ROLES).sort()).toEqual(Object.keys(REQUEST_SCHEMAS).sort());
  expect(Object.keys(FRAME_ROLES).sort()).toEqual(Object.keys(FrameType).sort());
});

test('[DOOR-9] each role may do what those before it may, and nobody what is local or the daemon’s', () => {
  for (const [at, role] of ROLES.entries()) {
    for (const [other, needed] of ROLES.entries())
      expect([role, needed, mayDo(role, needed)]).toEqual([role, needed, at >= other]);
    expect([mayDo(role, 'local'), mayDo(role, 'daemon')]).toEqual([false, false]);
  }
});
