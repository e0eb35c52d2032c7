/** Unit tests import the sources, and those the addon: build it if it is not of today. Nothing else need be there. */
import { resolve } from 'node:path';
import { buildNative } from '../packages/native/build.mjs';

export default function setup() {
  buildNative({ root: resolve(import.meta.dirname, '..') });
}
