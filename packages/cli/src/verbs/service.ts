/** `spool service`: the systemd user unit that starts the daemon at login or boot. */
import { UsageError } from '../command-line/usage-error.ts';
import { cronLine, installService, removeService, type ServiceStatus, serviceStatus } from '../install/service.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

const service: VerbAction<'service'> = async ({ flags, operands: [action] }, program) => {
  switch (action) {
    case 'install': {
      await installService(program);
      const status = await serviceStatus(program);
      if (flags.json) printJson(status);
      else print(afterInstall(status, cronLine(program)));
      return 0;
    }
    case 'remove': {
      const removed = await removeService();
      if (flags.json) printJson({ removed });
      else notice(removed ? 'The unit is removed. The daemon and its sessions keep running.' : 'There was no unit.');
      return 0;
    }
    case 'status': {
      const status = await serviceStatus(program);
      if (flags.json) printJson(status);
      else print(describe(status));
      return 0;
    }
    default:
      throw new UsageError(`unknown action \`service ${action}\`; use install, status or remove`, 'service');
  }
};

export default service;

function afterInstall({ path, systemd, linger }: ServiceStatus, cron: string): string {
  if (!systemd) {
    return [
      `Written: ${path}. The systemd of your user does not answer here, so nothing starts it.`,
      `Without systemd, add this line with \`crontab -e\`: ${cron}`,
    ].join('\n');
  }
  const then = linger
    ? 'Your services run without a login (linger), so the daemon starts at boot.'
    : 'The daemon starts when you log in. `loginctl enable-linger` lets it start at boot and survive a logout.';
  return `Written and enabled: ${path}.\n${then}`;
}

function describe({ systemd, path, installed, current, enabled, active, linger }: ServiceStatus): string {
  if (!installed) return 'Not installed. `spool service install` starts the daemon at login.';
  const yes = (is: boolean): string => (is ? 'yes' : 'no');
  return [
    `unit      ${path}`,
    `current   ${current ? 'yes' : 'no: it starts another installation; run spool service install'}`,
    `systemd   ${systemd ? 'answers' : 'does not answer'}`,
    `enabled   ${yes(enabled)}`,
    `active    ${yes(active)}`,
    `linger    ${linger ? 'yes: it starts at boot' : 'no: it starts at login; see loginctl enable-linger'}`,
  ].join('\n');
}
