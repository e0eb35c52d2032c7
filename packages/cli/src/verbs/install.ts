/** `spool install`: a link in ~/.local/bin, the manual page, and on request completions and the service. Keeps INST-1. */
import { accountFolders } from '../install/account-folders.ts';
import { installInAccount } from '../install/account-installation.ts';
import { installService } from '../install/service.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';
import { completionScript } from './completions.ts';

const install: VerbAction<'install'> = async ({ flags }, program) => {
  const { bin, data, config } = accountFolders(process.env);
  const completions = [
    { path: `${data}/bash-completion/completions/spool`, content: `${completionScript('bash')}\n` },
    { path: `${data}/zsh/site-functions/_spool`, content: `${completionScript('zsh')}\n` },
    { path: `${config}/fish/completions/spool.fish`, content: `${completionScript('fish')}\n` },
  ];
  const files = installInAccount(process.env, flags.completions ? completions : []);
  if (flags.service) await installService(program);
  const paths = files.map(({ path }) => path);
  const isInPath = (process.env['PATH'] ?? '').split(':').includes(bin);
  if (flags.json) {
    printJson({ installed: paths, service: flags.service, inPath: isInPath });
    return 0;
  }
  for (const { path, link } of files) print(link === undefined ? `wrote ${path}` : `linked ${path} to ${link}`);
  if (flags.service) print('enabled the service; spool service status shows it');
  if (!isInPath) notice(`${bin} is not in PATH; add to your shell's profile: export PATH="${bin}:$PATH"`);
  if (flags.completions) notice(`zsh finds the completions with: fpath+=(${data}/zsh/site-functions)`);
  return 0;
};

export default install;
