/** The flags `--allow-…`: the session's permissions on the user's terminal, besides drawing (default: none). */

export interface PermissionFlags {
  readonly allowClipboard: boolean;
  readonly allowColours: boolean;
  readonly allowGraphics: boolean;
}

export function permissions({ allowClipboard, allowColours, allowGraphics }: PermissionFlags): PermissionFlags {
  return { allowClipboard, allowColours, allowGraphics };
}
