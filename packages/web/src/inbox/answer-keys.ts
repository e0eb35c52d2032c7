/**
 * The keys of the keyboard that choose the answers of a card while it has the focus: the key that is printed on an answer, or its
 * number if the program takes several keys (`Down Enter`). Keeps PAGE-71.
 */
import type { QuestionOption } from '@spool/protocol';

/** Returns the key of each option, as in `KeyboardEvent.key`; null for one without a key. */
export function answerKeys(options: readonly QuestionOption[]): readonly (string | null)[] {
  const own = options.map(({ key }) => (key === null ? null : printedKey(key)));
  return own.map((key, index) => {
    if (key !== null || options[index]!.key === null) return key;
    const number = String(index + 1);
    return index < 9 && !own.includes(number) ? number : null;
  });
}

function printedKey(keys: string): string | null {
  const [first = '', ...rest] = keys.split(' ');
  if (rest.some((key) => key !== 'Enter')) return null;
  if (first === 'Esc' || first === 'Escape') return 'Escape';
  return [...first].length === 1 ? first.toLowerCase() : null;
}

/**
 * The time for which a card ignores keys after it got the focus by an answer to another card: the key may have been pressed twice.
 */
const SETTLE_MS = 500;
let landed: { readonly on: HTMLElement; readonly at: number } | null = null;

/** Moves the focus to a card, or to the title of the list, after an answer. */
export function landOn(element: HTMLElement): void {
  landed = { on: element, at: performance.now() };
  element.focus();
}

/** Returns whether a key was pressed too soon after the focus moved without the user. */
export function isTooSoon({ timeStamp }: { readonly timeStamp: number }): boolean {
  return landed !== null && landed.on === document.activeElement && timeStamp - landed.at < SETTLE_MS;
}

/** The keys that answer questions. On a card without such an answer they do nothing, even if the page has other uses for them. */
const ANSWER_KEY = /^[yna\d]$/i;

/**
 * Presses the answer of a card that has this key. Buttons name their key in `data-key`. Buttons without one have a number; `y`
 * presses the first of them that allows, and `n` the first that denies.
 */
export function pressAnswer(event: React.KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget, nativeEvent } = event;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || nativeEvent.isComposing) return;
  if (target instanceof HTMLElement && target.closest('input, textarea, select') !== null) return;
  const button = buttonOf([...currentTarget.querySelectorAll<HTMLButtonElement>('.answers button')], key.toLowerCase());
  if (button === undefined && !ANSWER_KEY.test(key)) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat && !isTooSoon(event)) button?.click();
}

function buttonOf(buttons: readonly HTMLButtonElement[], key: string): HTMLButtonElement | undefined {
  const own = buttons.find((button) => button.dataset['key']?.toLowerCase() === key);
  if (own !== undefined) return own;
  const plain = buttons.filter((button) => button.dataset['key'] === undefined);
  if (/^[1-9]$/.test(key)) return plain[Number(key) - 1];
  if (key === 'y') return plain.find((button) => !button.classList.contains('danger'));
  return key === 'n' ? plain.find((button) => button.classList.contains('danger')) : undefined;
}
