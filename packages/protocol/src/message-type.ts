/** The type of a message, inferred from its schema. It names no type of zod, so it loads nothing and any file may use it. */
export type MessageOf<S> = S extends { readonly _zod: { readonly output: infer T } } ? Immutable<T> : never;

/** The message is its sender's: every field and every list is readonly. */
type Immutable<T> = unknown extends T ? T : T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
