export declare function unprovedPromises(
  spec: string,
  tests: readonly { readonly title: string; readonly state: string; readonly note?: string }[],
): readonly { readonly id: string; readonly reasons: readonly string[] }[];
