/** The time for which a new request takes no key, because the user was still typing something else. */
export const ASK_GUARD_MS = 600;
