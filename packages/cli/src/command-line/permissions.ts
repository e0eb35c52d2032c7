/** `--allow-…`: what a session may do to the user's terminal in addition to drawing (default: nothing). */

export interface PermissionFlags {
  readonly allowClipboard: boolean;
  readonly allowColours: boolean;
  readonly allowGraphics: boolean;
}

export function permissions({ allowClipboard, allowColours, allowGraphics }: PermissionFlags): PermissionFlags {
  return { allowClipboard, allowColours, allowGraphics };
}
