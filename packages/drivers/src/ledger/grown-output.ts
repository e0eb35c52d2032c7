/** Turns cumulative output into its new part. Keeps DRV-4. */

export type GrownOutput =
  | { readonly mode: 'append'; readonly text: string }
  | { readonly mode: 'replace'; readonly text: string };

/**
 * The number of characters at the start of the window that must be found again, if the agent shows only the last part of a long
 * output.
 */
const ANCHOR_CHARS = 64;

/** Returns the change that turns `shown` into `whole`; undefined if there is none. */
export function grownOutput(shown: string, whole: string): GrownOutput | undefined {
  if (whole === shown) return undefined;
  if (whole.startsWith(shown)) return { mode: 'append', text: whole.slice(shown.length) };
  // The window has moved: its start is found within the shown text.
  if (whole.length > ANCHOR_CHARS) {
    const at = shown.indexOf(whole.slice(0, ANCHOR_CHARS));
    if (at >= 0 && whole.startsWith(shown.slice(at))) {
      const text = whole.slice(shown.length - at);
      return text === '' ? undefined : { mode: 'append', text };
    }
  }
  return { mode: 'replace', text: whole };
}
