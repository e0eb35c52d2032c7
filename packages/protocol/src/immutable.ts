/** The type of a message that only its sender has made: every field and every list of it is readonly. */
export type Immutable<T> = unknown extends T ? T : T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
