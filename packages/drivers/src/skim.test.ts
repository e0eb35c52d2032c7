import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { skimMembers } from './skim.ts';

test('[REQ-7] the plain members of any object are read, whatever is between them', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const plain = Object.entries(object).filter(([, value]) => typeof value !== 'object' || value === null);
      const written = JSON.parse(JSON.stringify(Object.fromEntries(plain))); // -0 becomes 0
      expect({ ...skimMembers(JSON.stringify(object)) }).toEqual(written);
    }),
  );
});

test('[REQ-7] of a text that was cut anywhere, no member is read that the whole does not have', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(200), (object, length) => {
      const members = skimMembers(JSON.stringify(object).slice(0, length));
      expect(JSON.parse(JSON.stringify(object))).toMatchObject({ ...members });
    }),
  );
});

test('[REQ-7] what is no object has no members', () => {
  for (const text of ['', '[1]', '"a"', '{', '{"a', '{"a"', '{"a":', '{{}}', '{]}'])
    expect({ ...skimMembers(text) }).toEqual({});
});
