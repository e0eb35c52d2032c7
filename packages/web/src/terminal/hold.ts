/**
 * Selects a word when a finger is held on it. The emulator hides its rows from hit tests, so most browsers do not select by
 * themselves; those that do start a little earlier, and their selection is kept. Keeps the part of PAGE-31 about selecting text.
 */

/** The time to hold: browsers select after half a second. */
const HOLD_MS = 600;
/** The tolerated movement: a finger is never quite still. */
const STILL_PX = 10;

/** Calls `onHeld` with the selected text. */
export function selectByHold(box: HTMLElement, onHeld: (text: string) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let from: { readonly clientX: number; readonly clientY: number } | null = null;
  let isHeld = false;
  const stop = (): void => {
    clearTimeout(timer);
    from = null;
  };
  const start = ({ touches }: TouchEvent): void => {
    stop();
    isHeld = false;
    if (touches.length !== 1) return;
    const { clientX, clientY } = touches[0]!;
    from = { clientX, clientY };
    timer = setTimeout(() => {
      const text = selectedIn(box) || selectWordAt(box, clientX, clientY);
      if (text === '') return;
      isHeld = true;
      onHeld(text);
    }, HOLD_MS);
  };
  const move = ({ touches }: TouchEvent): void => {
    const now = touches[0];
    if (from === null || now === undefined) return;
    if (Math.hypot(now.clientX - from.clientX, now.clientY - from.clientY) > STILL_PX) stop();
  };
  const end = (event: TouchEvent): void => {
    stop();
    // The click that follows would open the keyboard and clear the selection.
    if (isHeld && event.cancelable) event.preventDefault();
  };
  const options = [
    ['touchstart', start, { passive: true }],
    ['touchmove', move, { passive: true }],
    ['touchend', end, { passive: false }],
    ['touchcancel', stop, { passive: true }],
  ] as const;
  for (const [type, listener, how] of options) box.addEventListener(type, listener as EventListener, how);
  return () => {
    stop();
    for (const [type, listener] of options) box.removeEventListener(type, listener as EventListener);
  };
}

/** Returns the text that the browser itself has selected in the rows. */
function selectedIn(box: HTMLElement): string {
  const selection = getSelection();
  return selection?.anchorNode && box.contains(selection.anchorNode) ? selection.toString().trim() : '';
}

/** Selects the text between the surrounding blanks, so that a path is one word. */
function selectWordAt(box: HTMLElement, x: number, y: number): string {
  const place = document.caretRangeFromPoint?.(x, y);
  const row = elementOf(place?.startContainer)?.closest('.xterm-rows > div');
  if (!place || !row || !box.contains(row)) return '';
  const before = document.createRange();
  before.setStart(row, 0);
  before.setEnd(place.startContainer, place.startOffset);
  const [text, at] = [row.textContent.replaceAll('\u00a0', ' '), before.toString().length];
  const start = text.slice(0, at).search(/\S*$/);
  const end = at + text.slice(at).search(/\s|$/);
  if (start === end) return '';
  const word = document.createRange();
  word.setStart(...nodeAt(row, start));
  word.setEnd(...nodeAt(row, end));
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(word);
  return text.slice(start, end);
}

const elementOf = (node: Node | undefined): Element | null | undefined =>
  node instanceof Element ? node : node?.parentElement;

function nodeAt(row: Element, offset: number): [Node, number] {
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let left = offset;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { length } = node as Text;
    if (left <= length) return [node, left];
    left -= length;
  }
  return [row, row.childNodes.length];
}
