/** The folders of a user's account that installed files go to, as the XDG specification names them. */

export interface AccountFolders {
  readonly bin: string;
  readonly data: string;
  readonly config: string;
  /** The list of the files that `spool install` has written. */
  readonly list: string;
}

export function accountFolders(env: NodeJS.ProcessEnv): AccountFolders {
  const home = env['HOME'];
  if (!home?.startsWith('/')) throw new Error('HOME is not set; spool install needs it');
  const data = env['XDG_DATA_HOME'] || `${home}/.local/share`;
  const config = env['XDG_CONFIG_HOME'] || `${home}/.config`;
  return { bin: `${home}/.local/bin`, data, config, list: `${data}/spool/installed.json` };
}
