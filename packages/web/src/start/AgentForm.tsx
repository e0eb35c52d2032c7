/**
 * Starts an agent without a terminal: its kind, its folder, and its first prompt. Its messages and requests are shown as PAGE-15
 * describes. It needs the role of `spool run --agent`. Keeps PAGE-42.
 */
import { isHeadless } from '@spool/protocol';
import { type SessionInfo, SpoolError } from '@spool/client';
import { useMemo, useState } from 'react';
import { sentenceOf } from '../link/ask-gateway.ts';
import { clientAt } from '../link/daemon.ts';
import { pageId } from '../link/session-place.ts';
import { AGENT_TITLES, displayName } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { go } from '../shell/route.ts';
import { environmentOf } from './environment.ts';
import { EnvironmentField, NameField, Trouble } from './fields.tsx';
import { FolderField } from './FolderField.tsx';
import { MachineField } from './MachineField.tsx';
import { useStart } from './use-start.ts';

/** The agents, by the name that the daemon uses; the modes have the agent's own names. */
const AGENTS = {
  claude: { title: AGENT_TITLES.claude, mode: 'plan' },
  codex: { title: AGENT_TITLES.codex, mode: 'read-only' },
  gemini: { title: AGENT_TITLES.gemini, mode: 'autoEdit' },
  grok: { title: AGENT_TITLES.grok, mode: 'its own word' },
  opencode: { title: AGENT_TITLES.opencode, mode: 'plan' },
  acp: { title: 'Another one, by ACP', mode: 'its own word' },
} as const;

type AgentName = keyof typeof AGENTS;

const RECENT_MAX = 8;
const NEW_DRAFT = { prompt: '', program: '', cwd: '', name: '', model: '', mode: '', environment: '' };

export function AgentForm() {
  const byId = useSessions((now) => now.byId);
  const [agent, setAgent] = useState<AgentName>('claude');
  const [draft, setDraft] = useState(NEW_DRAFT);
  const [node, setNode] = useState<string | null>(null);
  const set = (part: Partial<typeof NEW_DRAFT>): void => setDraft((now) => ({ ...now, ...part }));
  const folders = useMemo(() => {
    const latest = [...byId.values()].sort((one, other) => other.startedAt - one.startedAt);
    return [...new Set(latest.map(({ cwd }) => cwd))].slice(0, RECENT_MAX);
  }, [byId]);

  const start = async (): Promise<{ readonly id: string }> => {
    const { prompt, program, cwd, name, model, mode, environment } = draft;
    const { id } = await clientAt(node).agent(agent, {
      ...(prompt.trim() !== '' && { prompt }),
      // The shell reads the line, and becomes the program.
      ...(agent === 'acp' && { program: ['/bin/sh', '-c', `exec ${program}`] }),
      ...(cwd !== '' && { cwd }),
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(model.trim() !== '' && { model: model.trim() }),
      ...(mode.trim() !== '' && { mode: mode.trim() }),
      ...(environment.trim() !== '' && { env: environmentOf(environment) }),
    });
    return { id: pageId(node, id) };
  };
  const { trouble, isStarting, onSubmit } = useStart(start, (error) => refusal(error, AGENTS[agent].title));

  return (
    <>
      <form onSubmit={onSubmit}>
        <label className="field">
          <span>Agent</span>
          <select value={agent} onChange={({ target }) => setAgent(target.value as AgentName)}>
            {Object.entries(AGENTS).map(([value, { title }]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {agent === 'acp' && (
          <label className="field">
            <span>Program</span>
            <input
              className="mono command-line"
              required
              autoComplete="off"
              spellCheck={false}
              value={draft.program}
              placeholder="my-agent --acp"
              onChange={({ target }) => set({ program: target.value })}
            />
          </label>
        )}
        <label className="field">
          <span>Prompt</span>
          <textarea
            rows={4}
            autoFocus
            dir="auto"
            value={draft.prompt}
            placeholder="fix the failing test"
            onChange={({ target }) => set({ prompt: target.value })}
          />
        </label>
        <MachineField value={node} onValue={setNode} />
        <FolderField node={node} value={draft.cwd} recent={folders} onValue={(cwd) => set({ cwd })} />
        <NameField
          value={draft.name}
          placeholder={agent === 'acp' ? 'the program’s name' : agent}
          onValue={(name) => set({ name })}
        />
        <details className="more">
          <summary>Model, mode and environment</summary>
          <div className="field-row">
            <Word name="Model" value={draft.model} hint="its default" onValue={(model) => set({ model })} />
            <Word name="Mode" value={draft.mode} hint={AGENTS[agent].mode} onValue={(mode) => set({ mode })} />
          </div>
          <EnvironmentField
            value={draft.environment}
            placeholder="ANTHROPIC_API_KEY=…"
            onValue={(environment) => set({ environment })}
          />
        </details>
        <Trouble text={trouble} />
        <div className="form-acts">
          <button type="submit" className="button primary" disabled={isStarting}>
            Start
          </button>
          <span className="quiet">It runs without a terminal, and asks here before it does what needs permission.</span>
        </div>
      </form>
      <Ended sessions={byId} />
    </>
  );
}

/** The agents that can be resumed, the latest first. */
function Ended({ sessions }: { readonly sessions: ReadonlyMap<string, SessionInfo> }) {
  const ended = [...sessions.values()]
    .filter((session) => isHeadless(session) && session.state !== 'running')
    .sort((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
    .slice(0, RECENT_MAX);
  return (
    <aside aria-label="Resume">
      <section aria-label="Ended agents">
        <h2>Resume an agent</h2>
        {ended.length === 0 && <p className="quiet">No ended agents.</p>}
        <ul className="choices">
          {ended.map((session) => (
            <li key={session.id}>
              <button type="button" onClick={() => go({ page: 'session', id: session.id, view: 'terminal' })}>
                <span className="one-line" dir="auto">
                  {displayName(session)}
                </span>
                <span className="quiet one-line">
                  {session.driver?.name} in {session.cwd}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  );
}

function Word(props: {
  readonly name: string;
  readonly value: string;
  readonly hint: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <label className="field">
      <span>{props.name}</span>
      <input
        value={props.value}
        placeholder={props.hint}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => props.onValue(target.value)}
      />
    </label>
  );
}

function refusal(error: unknown, title: string): string {
  if (!SpoolError.is(error, 'COMMAND_NOT_FOUND')) return sentenceOf(error);
  return `${title} is not installed on the machine of the daemon, or not in its PATH. Nothing was started.`;
}
