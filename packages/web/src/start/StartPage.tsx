/** Starts a session: a command line, a folder, a name. The shell reads the line, as it would in a terminal. */
import { useState } from 'react';
import { client } from '../link/daemon.ts';
import { useSessions } from '../sessions/store.ts';
import { go } from '../shell/route.ts';

const RECENT_MAX = 8;

export function StartPage() {
  const byId = useSessions((now) => now.byId);
  const [line, setLine] = useState('');
  const [cwd, setCwd] = useState('');
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState('');
  const [isTask, setTask] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const folders = [...new Set([...byId.values()].map((session) => session.cwd))].slice(0, RECENT_MAX);
  const commands = [...new Set([...byId.values()].map(({ command }) => shownLine(command)))].slice(0, RECENT_MAX);

  const start = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    setTrouble(null);
    try {
      const session = await client.run({
        command: ['/bin/sh', '-c', line],
        ...(cwd !== '' && { cwd }),
        ...(name !== '' && { name }),
        ...(environment.trim() !== '' && { env: environmentOf(environment) }),
        ...(isTask && { isTask }),
        size: { cols: 120, rows: 36 },
      });
      go({ page: 'session', id: session.id, view: 'terminal' });
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    }
  };

  return (
    <form className="start" onSubmit={(event) => void start(event)}>
      <h1>Start a session</h1>
      <label className="field">
        <span>Command</span>
        <input
          className="mono"
          required
          autoFocus
          list="recent-commands"
          value={line}
          placeholder="npm test"
          onChange={(event) => setLine(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Folder</span>
        <input
          className="mono"
          list="recent-folders"
          value={cwd}
          placeholder="your home folder"
          onChange={(event) => setCwd(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Name</span>
        <input value={name} placeholder="the command's name" onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>Environment, one NAME=value on each line</span>
        <textarea
          className="mono"
          rows={2}
          value={environment}
          placeholder="PORT=3000"
          onChange={(event) => setEnvironment(event.target.value)}
        />
      </label>
      <label className="check">
        <input type="checkbox" checked={isTask} onChange={(event) => setTask(event.target.checked)} /> A task: its
        result is kept and reported
      </label>
      <datalist id="recent-folders">
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <datalist id="recent-commands">
        {commands.map((command) => (
          <option key={command} value={command} />
        ))}
      </datalist>
      <button type="submit" className="button primary">
        Start
      </button>
      {trouble !== null && (
        <p className="link-notice" role="alert">
          {trouble}
        </p>
      )}
    </form>
  );
}

/** Lines without a name are left out. */
function environmentOf(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  return Object.fromEntries(pairs);
}

/** What was typed here before is shown without the shell around it. */
function shownLine(command: readonly string[]): string {
  const [shell, flag, line] = command;
  return shell === '/bin/sh' && flag === '-c' && line !== undefined ? line : command.join(' ');
}
