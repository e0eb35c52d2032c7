import { expect, test } from 'vitest';
import { apiPath, pageId, placeOf } from './session-place.ts';

test('a session of a node has the name of the node in its id, and its requests go through the gateway', () => {
  expect(placeOf('build1/abc')).toEqual({ node: 'build1', id: 'abc' });
  expect(placeOf('abc')).toEqual({ node: null, id: 'abc' });
  expect(pageId('build1', 'abc')).toBe('build1/abc');
  expect(pageId(null, 'abc')).toBe('abc');
  expect(apiPath('sessions/build1/abc/files?path=a/b')).toBe('nodes/build1/sessions/abc/files?path=a/b');
  expect(apiPath('sessions/abc/files?path=a/b')).toBe('sessions/abc/files?path=a/b');
  expect(apiPath('folders?path=~/')).toBe('folders?path=~/');
});
