/** Starts a command: a line, a folder, a name. The shell reads the line, as it would in a terminal. Keeps PAGE-33. */
import { isHeadless } from '@spool/protocol';
import type { SessionInfo } from '@spool/client';
import { useMemo, useState } from 'react';
import { clientAt } from '../link/daemon.ts';
import { pageId } from '../link/session-place.ts';
import { lineOf } from '../sessions/session-words.ts';
import { useSessions } from '../sessions/store.ts';
import { CloseIcon } from '../shell/icons.tsx';
import { environmentOf } from './environment.ts';
import { EnvironmentField, NameField, Trouble } from './fields.tsx';
import { FolderField } from './FolderField.tsx';
import { MachineField } from './MachineField.tsx';
import { freeName, programIn } from './names.ts';
import { type StartDraft, NEW_DRAFT, removeTemplate, saveTemplate, useTemplates } from './templates.ts';
import { useStart } from './use-start.ts';

const RECENT_MAX = 8;

export function CommandForm() {
  const byId = useSessions((now) => now.byId);
  const [draft, setDraft] = useState<StartDraft>(NEW_DRAFT);
  const set = (part: Partial<StartDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const [node, setNode] = useState<string | null>(null);
  const recent = useMemo(() => recentOf(byId.values()), [byId]);

  const start = async (): Promise<{ readonly id: string }> => {
    const { line, cwd, name, environment, isTask, cols, rows } = draft;
    const program = programIn(line);
    const { id } = await clientAt(node).run({
      command: ['/bin/sh', '-c', line],
      ...(cwd !== '' && { cwd }),
      ...(name.trim() !== ''
        ? { name: name.trim() }
        : program !== null && { name: freeName(program, useSessions.getState().byId.values()) }),
      ...(environment.trim() !== '' && { env: environmentOf(environment) }),
      ...(isTask && { isTask }),
      size: { cols, rows },
    });
    return { id: pageId(node, id) };
  };
  const { trouble, isStarting, onSubmit } = useStart(start);

  return (
    <>
      <form onSubmit={onSubmit}>
        <label className="field">
          <span>Command</span>
          <input
            className="mono command-line"
            required
            autoFocus
            autoComplete="off"
            spellCheck={false}
            autoCapitalize="off"
            value={draft.line}
            placeholder="npm test"
            onChange={(event) => set({ line: event.target.value })}
          />
        </label>
        <MachineField value={node} onValue={setNode} />
        <FolderField node={node} value={draft.cwd} recent={recent.folders} onValue={(cwd) => set({ cwd })} />
        <NameField
          value={draft.name}
          placeholder={programIn(draft.line) ?? "the command's name"}
          onValue={(name) => set({ name })}
        />
        <label className="check">
          <input type="checkbox" checked={draft.isTask} onChange={(event) => set({ isTask: event.target.checked })} />
          <span>A task: it is expected to end, and its result is kept and reported</span>
        </label>
        <details className="more">
          <summary>Environment and size</summary>
          <EnvironmentField
            value={draft.environment}
            placeholder="PORT=3000"
            onValue={(environment) => set({ environment })}
          />
          <div className="field-row">
            <NumberField name="Columns" value={draft.cols} min={10} max={500} onValue={(cols) => set({ cols })} />
            <NumberField name="Rows" value={draft.rows} min={2} max={300} onValue={(rows) => set({ rows })} />
          </div>
        </details>
        <Trouble text={trouble} />
        <div className="form-acts">
          <button type="submit" className="button primary" disabled={isStarting}>
            Start
          </button>
          <SaveTemplate draft={draft} />
        </div>
      </form>
      <aside aria-label="Start again">
        <Templates onTake={(taken) => setDraft({ ...taken, name: freeName(taken.name, byId.values()) })} />
        {recent.lines.length > 0 && (
          <section aria-label="Recent">
            <h2>Recent</h2>
            <ul className="choices">
              {recent.lines.map(({ line, cwd }) => (
                <li key={`${line} ${cwd}`}>
                  <button type="button" onClick={() => setDraft({ ...NEW_DRAFT, line, cwd })}>
                    <span className="mono one-line">{line}</span>
                    <span className="quiet one-line">{cwd}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </aside>
    </>
  );
}

function NumberField(props: {
  readonly name: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onValue: (value: number) => void;
}) {
  return (
    <label className="field">
      <span>{props.name}</span>
      <input
        type="number"
        required
        min={props.min}
        max={props.max}
        value={props.value}
        onChange={(event) => props.onValue(Number(event.target.value))}
      />
    </label>
  );
}

function SaveTemplate({ draft }: { readonly draft: StartDraft }) {
  const [saved, setSaved] = useState<string | null>(null);
  const title = draft.name.trim() || draft.line.trim();
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={draft.line.trim() === ''}
        onClick={() => {
          saveTemplate({ ...draft, title });
          setSaved(title);
        }}
      >
        Save as template
      </button>
      <span className="quiet" role="status">
        {saved !== null && saved === title ? 'Saved in this browser' : ''}
      </span>
    </>
  );
}

function Templates({ onTake }: { readonly onTake: (draft: StartDraft) => void }) {
  const templates = useTemplates((now) => now.templates);
  return (
    <section aria-label="Templates">
      <h2>Templates</h2>
      {templates.length === 0 && (
        <p className="quiet">A command that you start often: fill in the form and save it, and it is one click here.</p>
      )}
      <ul className="choices">
        {templates.map(({ title, ...draft }) => (
          <li key={title}>
            <button type="button" onClick={() => onTake(draft)}>
              <span className="one-line" dir="auto">
                {title}
              </span>
              <span className="quiet one-line mono">{draft.line}</span>
            </button>
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove the template ${title}`}
              onClick={() => removeTemplate(title)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Recent {
  readonly folders: readonly string[];
  readonly lines: readonly { readonly line: string; readonly cwd: string }[];
}

/** Returns the recent values, the latest first, each once. */
function recentOf(sessions: Iterable<SessionInfo>): Recent {
  const latest = [...sessions]
    .filter((session) => !isHeadless(session))
    .sort((one, other) => other.startedAt - one.startedAt);
  const lines = new Map(
    latest.map(({ command, cwd }) => [`${lineOf(command)} ${cwd}`, { line: lineOf(command), cwd }]),
  );
  return {
    folders: [...new Set(latest.map(({ cwd }) => cwd))].slice(0, RECENT_MAX),
    lines: [...lines.values()].slice(0, RECENT_MAX),
  };
}
