/** Builds the addon if it is outdated: unit tests import the sources, and those import the addon. They need no other build. */
import { resolve } from 'node:path';
import { buildNative } from '../packages/native/build.mjs';

export default function setup() {
  buildNative({ root: resolve(import.meta.dirname, '..') });
}
