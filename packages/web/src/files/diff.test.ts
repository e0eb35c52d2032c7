import { expect, test } from 'vitest';
import { changedPaths, countsOf, splitDiff } from './diff.ts';

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
  expect(splitDiff(diff)).toEqual([
    {
      path: 'a.txt',
      lines: [
        { kind: 'place', text: '@@ -1,2 +1,2 @@' },
        { kind: 'same', text: ' same', before: 1, after: 1 },
        { kind: 'removed', text: '--- removed, with dashes', before: 2 },
        { kind: 'added', text: '+added', after: 2 },
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
  expect(splitDiff('')).toEqual([]);
});

test('the paths of a diff and of new files, and how many lines came and went', () => {
  const diff = `diff --git a/b.txt b/b.txt
@@ -1 +1,2 @@
-a
+b
+c
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
@@ -1 +0,0 @@
-a
`;
  expect(changedPaths(diff, ['a.txt'])).toEqual([
    { path: 'a.txt', change: 'added', isCommitted: false },
    { path: 'b.txt', change: 'modified', isCommitted: false },
    { path: 'gone.txt', change: 'deleted', isCommitted: false },
  ]);
  expect(splitDiff(diff).map(countsOf)).toEqual([
    { added: 2, removed: 1 },
    { added: 0, removed: 1 },
  ]);
});
