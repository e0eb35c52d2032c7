/** `--allow-…`: what a program may do to the terminal of the person beyond drawing. All of it is off unless asked for. */

export interface PermissionFlags {
  readonly allowClipboard: boolean;
  readonly allowColours: boolean;
  readonly allowGraphics: boolean;
}

export function permissions({ allowClipboard, allowColours, allowGraphics }: PermissionFlags): PermissionFlags {
  return { allowClipboard, allowColours, allowGraphics };
}
