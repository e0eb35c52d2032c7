/** The time for which a new request ignores keys, because the user was still typing something else. */
export const ASK_GUARD_MS = 600;
