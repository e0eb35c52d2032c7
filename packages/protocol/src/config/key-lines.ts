/** Finds the line of each key in a JSON text, for sentences about it. The text must be valid JSON. */

/** Returns the lines by key: `notify.on` → 4. Elements of lists have no keys. */
export function keyLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** The present key of each open object; null for a list. */
  const open: (string | null)[] = [];
  let line = 1;
  let isKey = false;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '\n':
        line++;
        break;
      case '{':
        open.push('');
        isKey = true;
        break;
      case '[':
        open.push(null);
        isKey = false;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        isKey = open.at(-1) !== null;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isKey && open.at(-1) !== null) {
          open[open.length - 1] = JSON.parse(text.slice(at, end + 1)) as string;
          if (!open.includes(null)) lines.set(open.join('.'), line);
        }
        isKey = false;
        at = end;
        break;
      }
    }
  }
  return lines;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
