/** Turns cumulative output into what is new. Keeps DRV-4. */

export type GrownOutput =
  | { readonly mode: 'append'; readonly text: string }
  | { readonly mode: 'replace'; readonly text: string };

/** How much of the window's beginning must be found again, when the agent shows only the last part of a long output. */
const ANCHOR_CHARS = 64;

/** What must be shown so that `shown` becomes `whole`; undefined when nothing is new. */
export function grownOutput(shown: string, whole: string): GrownOutput | undefined {
  if (whole === shown) return undefined;
  if (whole.startsWith(shown)) return { mode: 'append', text: whole.slice(shown.length) };
  // A window that has moved on: it begins somewhere within what is shown.
  if (whole.length > ANCHOR_CHARS) {
    const at = shown.indexOf(whole.slice(0, ANCHOR_CHARS));
    if (at >= 0 && whole.startsWith(shown.slice(at))) {
      const text = whole.slice(shown.length - at);
      return text === '' ? undefined : { mode: 'append', text };
    }
  }
  return { mode: 'replace', text: whole };
}
