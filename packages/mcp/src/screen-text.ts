/** Returns a screen as text: without the empty lines around it, and without blanks at the ends of lines. */
export function screenLines(content: string): readonly string[] {
  const lines = content.split('\n').map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}
