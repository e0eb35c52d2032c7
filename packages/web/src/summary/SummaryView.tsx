/** A session on one page: its duration and states, its end, its milestones, its commands and its last lines. Keeps PAGE-53. */
import { type SessionInfo, type Summary, summaryOf } from '@spool/client';
import type { WorkingTree } from '@spool/protocol';
import { longDuration } from '@spool/protocol/duration';
import { visible } from '@spool/render';
import { useCallback, useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { client } from '../link/daemon.ts';
import { commandOf, folderOf } from '../sessions/session-words.ts';
import { RepeatIcon } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import { WebLink } from '../shell/WebLink.tsx';
import { conditionOf } from '../state/condition.ts';
import { StateMark } from '../state/StateMark.tsx';
import { changedPaths } from '../files/diff.ts';
import { shares } from './durations.ts';

const COMMANDS_SHOWN = 20;

export function SummaryView({ session }: { readonly session: SessionInfo }) {
  const { id, state, status } = session;
  const [summary, setSummary] = useState<Summary | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const load = useCallback(() => {
    summaryOf(client, id, () => changedIn(id)).then(setSummary, (error: unknown) => setTrouble(sentenceOf(error)));
  }, [id]);
  // It is loaded again at each change of state, but not at each printed line.
  useEffect(load, [load, state, status.since]);
  if (trouble !== null) return <p role="alert">{trouble}</p>;
  if (summary === null) return <p className="loading quiet">Reading…</p>;
  return (
    <div className="summary-view">
      <dl className="facts">
        <Fact name={summary.endedAt === null ? 'Running for' : 'Took'}>{longDuration(summary.durationMs)}</Fact>
        <Fact name="State">
          <StateMark condition={conditionOf(session)} word />
          {endOf(summary)}
        </Fact>
        <Fact name="Started">{new Date(summary.startedAt).toLocaleString()}</Fact>
        <Fact name="Folder">
          <span className="mono" title={summary.cwd}>
            {folderOf(summary.cwd)}
          </span>
        </Fact>
        <Fact name="Command">
          <span className="mono">{commandOf(session)}</span>
        </Fact>
      </dl>
      <States summary={summary} />
      <Part title="Milestones" isShown={summary.milestones.length > 0}>
        <ol className="reached">
          {summary.milestones.map((milestone, index) => (
            <li key={index} data-outcome={milestone.outcome}>
              <a href={addressOf({ page: 'session', id, view: 'time', offset: milestone.offset })}>
                <time>{new Date(milestone.at).toLocaleTimeString()}</time>
                <span dir="auto">{visible(milestone.title)}</span>
              </a>
              {milestone.url !== undefined && <WebLink url={milestone.url} className="web-link" />}
            </li>
          ))}
        </ol>
      </Part>
      <Part title="Commands" isShown={summary.commands.length > 0}>
        <ol className="reached">
          {summary.commands.slice(-COMMANDS_SHOWN).map((command, index) => (
            <li key={index} data-outcome={command.exitCode === 0 ? 'ok' : 'failed'}>
              <a href={addressOf({ page: 'session', id, view: 'time', offset: command.offset })}>
                <time>{longDuration(command.durationMs)}</time>
                <span className="mono">{visible(command.command ?? 'a command')}</span>
                {command.exitCode !== 0 && <span className="quiet">exit code {command.exitCode}</span>}
              </a>
            </li>
          ))}
        </ol>
      </Part>
      <Part title="Last lines" isShown={summary.lastLines.length > 0}>
        <pre className="last-lines" tabIndex={0} aria-label="Last lines">
          {summary.lastLines.map(visible).join('\n')}
        </pre>
      </Part>
      <Part title="Changed files" isShown={(summary.changedFiles?.length ?? 0) > 0}>
        <ul className="entries">
          {summary.changedFiles?.map(({ path, change }) => (
            <li key={path}>
              <a className="one-line mono" dir="auto" href={addressOf({ page: 'session', id, view: 'files', path })}>
                {path} <span className="quiet">{change}</span>
              </a>
            </li>
          ))}
        </ul>
      </Part>
      <p>
        <button type="button" className="button" onClick={load}>
          <RepeatIcon /> Refresh
        </button>
      </p>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Part(props: { readonly title: string; readonly isShown: boolean; readonly children: React.ReactNode }) {
  if (!props.isShown) return null;
  return (
    <section aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** The states over time: a bar, and the same in words. */
function States({ summary }: { readonly summary: Summary }) {
  const parts = shares(summary.timeIn);
  if (parts.length === 0) return null;
  return (
    <section aria-label="Time">
      <h2>Time</h2>
      <svg className="time-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ condition, from, share }) => (
          <rect key={condition} data-condition={condition} x={from * 1000} width={share * 1000} height={10} />
        ))}
      </svg>
      <ul className="counts">
        {parts.map(({ condition, ms }) => (
          <li key={condition}>
            <StateMark condition={condition} word /> {longDuration(ms)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function endOf({ state, exitCode, signal }: Summary): string {
  if (state === 'running') return '';
  return signal === null ? (exitCode === null ? '' : ` · exit code ${exitCode}`) : ` · ended by ${signal}`;
}

/** Returns the changed files as in the view of changes; null for a user who may not see the folder. */
async function changedIn(id: string): Promise<Summary['changedFiles']> {
  const changes = await askGateway<WorkingTree>(`sessions/${id}/changes`).catch(() => null);
  if (changes === null || !changes.isRepository) return null;
  return changedPaths(changes.diff, changes.untracked);
}
