/** The folders of a user's account that installed files go to, as the XDG specification names them. */

export interface AccountFolders {
  readonly bin: string;
  readonly data: string;
  readonly config: string;
  /** The list of the files that `spool install` has written. */
  readonly list: string;
}

/**
 * Returns the folders. A variable that is not an absolute path counts as unset. Throws without a HOME: no file must be written to
 * the folder in which spool happens to run.
 */
export function accountFolders(env: NodeJS.ProcessEnv): AccountFolders {
  const folderIn = (name: string): string | undefined => (env[name]?.startsWith('/') ? env[name] : undefined);
  const home = folderIn('HOME');
  if (home === undefined) throw new Error('HOME is not set to an absolute path; set it to your home folder');
  const data = folderIn('XDG_DATA_HOME') ?? `${home}/.local/share`;
  const config = folderIn('XDG_CONFIG_HOME') ?? `${home}/.config`;
  return { bin: `${home}/.local/bin`, data, config, list: `${data}/spool/installed.json` };
}
