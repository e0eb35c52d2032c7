import { expect, test } from 'vitest';
import { filesOf } from './diff.ts';

test('a diff is files with lines', () => {
  const diff = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 same
--- removed, with dashes
+added
diff --git a/x.png b/x.png
new file mode 100644
Binary files /dev/null and b/x.png differ
`;
  expect(filesOf(diff)).toEqual([
    {
      path: 'a.txt',
      lines: [
        { kind: 'place', text: '@@ -1,2 +1,2 @@' },
        { kind: 'same', text: ' same' },
        { kind: 'removed', text: '--- removed, with dashes' },
        { kind: 'added', text: '+added' },
      ],
    },
    {
      path: 'x.png',
      lines: [
        { kind: 'place', text: 'new file mode 100644' },
        { kind: 'place', text: 'Binary files /dev/null and b/x.png differ' },
      ],
    },
  ]);
  expect(filesOf('')).toEqual([]);
});
