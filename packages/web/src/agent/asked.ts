/** What can be answered to a permission: the agent's own options where it has some. */
import type { Asked } from '@spool/render';

export interface Choice {
  readonly label: string;
  readonly behavior: 'allow' | 'deny';
  /** The id of the agent's option. */
  readonly option?: string;
}

type Permission = Extract<Asked, { readonly kind: 'permission.requested' }>;

/** An option of another kind is left to the agent's own program: nobody knows whether it allows. */
const BEHAVIOR = {
  allow_once: 'allow',
  allow_always: 'allow',
  reject_once: 'deny',
  reject_always: 'deny',
  other: null,
} as const satisfies Record<Permission['options'][number]['kind'], Choice['behavior'] | null>;

export function choicesOf({ options }: Permission): readonly Choice[] {
  const own = options.flatMap(({ id, label, kind }): Choice[] => {
    const behavior = BEHAVIOR[kind];
    return behavior === null ? [] : [{ label, behavior, option: id }];
  });
  return [
    ...(own.some(({ behavior }) => behavior === 'allow') ? [] : [{ label: 'Allow', behavior: 'allow' } as const]),
    ...own,
    ...(own.some(({ behavior }) => behavior === 'deny') ? [] : [{ label: 'Deny', behavior: 'deny' } as const]),
  ];
}
