/**
 * The buttons of a permission: one for each option of the agent whose meaning is known, by its id. An option of another kind is
 * left to the agent's own program, because it is unknown whether it allows. Keeps PAGE-56 and REQ-5 on the page.
 */
import type { RequestEvent } from '@spool/client';

type Permission = Extract<RequestEvent, { readonly kind: 'permission.requested' }>;

export interface RequestChoice {
  /** Whether it also applies to later requests. */
  readonly isLasting?: boolean;
  readonly label: string;
  readonly behavior: 'allow' | 'deny';
  /** The id of the agent's option; missing if the agent offers none with this behaviour. */
  readonly option?: string;
}

const BEHAVIOR = {
  allow_once: 'allow',
  allow_always: 'allow',
  reject_once: 'deny',
  reject_always: 'deny',
  other: null,
} as const satisfies Record<Permission['options'][number]['kind'], RequestChoice['behavior'] | null>;

/** Returns the buttons. Denying is always possible; allowing only if the whole request is known. */
export function makeButtons({ options, isCut }: Pick<Permission, 'options' | 'isCut'>): readonly RequestChoice[] {
  const own = options.flatMap(({ id, label, kind }): RequestChoice[] => {
    // A kind of a later version neither allows nor denies.
    const behavior = Object.hasOwn(BEHAVIOR, kind) ? BEHAVIOR[kind] : null;
    const isLasting = kind === 'allow_always' || kind === 'reject_always';
    return behavior === null ? [] : [{ label, behavior, option: id, ...(isLasting && { isLasting }) }];
  });
  const allowing: readonly RequestChoice[] =
    options.length === 0 ? [{ label: 'Allow', behavior: 'allow' }] : own.filter(({ behavior }) => behavior === 'allow');
  const denying = own.filter(({ behavior }) => behavior === 'deny');
  return [...(isCut === true ? [] : allowing), ...(denying.length === 0 ? [DENY] : denying)];
}

export const DENY: RequestChoice = { label: 'Deny', behavior: 'deny' };

/** Returns the keys of the choices: `y` allows once, `a` allows from now on, `n` denies, and each choice has its number. */
export function keysOf(choices: readonly RequestChoice[]): ReadonlyMap<string, RequestChoice> {
  const keys = new Map<string, RequestChoice>();
  for (const [at, choice] of choices.entries()) {
    const letter = choice.behavior === 'deny' ? 'n' : choice.isLasting === true ? 'a' : 'y';
    if (!keys.has(letter)) keys.set(letter, choice);
    if (at < 9) keys.set(String(at + 1), choice);
  }
  return keys;
}

/**
 * Returns whether the label of a choice can be the whole text of its button. A button that allows begins with "Allow", even if the
 * agent's label does not.
 */
export const isNamedAllow = ({ label, behavior }: RequestChoice): boolean =>
  behavior === 'deny' || /^allow\b/i.test(label);
