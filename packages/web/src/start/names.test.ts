import { expect, test } from 'vitest';
import { programIn } from './names.ts';

test.each([
  ['npm test', 'npm'],
  ['cd web && PORT=3000 npm run dev', 'npm'],
  ['/usr/bin/python3 -m http.server', 'python3'],
  ['sudo nice make -j4', 'make'],
  ['cd /tmp; ./build.sh', 'build.sh'],
  ['"my program" x', null],
  ['$(which x)', null],
  ['cd /tmp', null],
  ['', null],
])('[PAGE-63] the line %j is named %j', (line, name) => expect(programIn(line)).toBe(name));
