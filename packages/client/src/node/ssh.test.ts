import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { remoteCommand, sshDestination, sshWords } from './ssh.ts';

test.each(['sh', 'bash', 'dash', 'fish', 'zsh', 'csh'])(
  '[NODE-21] %s as login shell runs a script with quotes, backslashes and variables',
  (shell) => {
    try {
      execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' });
    } catch {
      return; // it is not installed here; .ci/run installs fish and zsh
    }
    const script = `a='it'"'"'s'; printf '%s|%s|%s\\n' "$a" "\${b:-!none}" 'a\\b $c'\nread line; echo "got $line"`;
    expect(execFileSync(shell, ['-c', remoteCommand(script)], { input: 'input\n' }).toString()).toBe(
      "it's|!none|a\\b $c\ngot input\n",
    );
  },
);

test('[NODE-21] an address becomes words of ssh that cannot be options', () => {
  expect(sshDestination('ssh://me@host.example:2222/').words).toEqual(['-p', '2222', '--', 'me@host.example']);
  expect(sshDestination('ssh://[::1]').words).toEqual(['--', '::1']);
  for (const url of [
    'ssh://-oProxyCommand=x',
    'ssh://a b',
    'ssh://host/path',
    'ssh://h;id',
    'ssh://-x@h',
    'ssh://$(id)@h',
  ])
    expect(() => sshDestination(url)).toThrow(/use ssh/);
  const words = sshWords(sshDestination('ssh://h'), 'true', true);
  expect(words.join(' ')).toContain('BatchMode=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -- h exec sh');
});
