/**
 * The overview of a run beside its cards: its plan, the files it touched, its subagents and background work, the cost of each turn,
 * its context and its quotas. On a narrow screen it is a sheet. Keeps CARD-15.
 */
import { longDuration } from '@spool/protocol/duration';
import { costText, countText, visibleTitle } from '@spool/render';
import { Steps } from '../cards/SmallCards.tsx';
import { STATE_WORDS, toolState, toolWords } from '../cards/tool-words.ts';
import { CloseIcon } from '../shell/icons.tsx';
import { addressOf } from '../shell/route.ts';
import type { ConversationPart } from './conversation.ts';
import { type RunOverview, runOverview } from './run-overview.ts';

const TEXT_CHARACTERS_MAX = 200;
const TURNS_SHOWN = 30;

interface PanelProps {
  readonly id: string;
  readonly parts: readonly ConversationPart[];
  /** Whether older parts of the conversation are not loaded, and therefore not counted. */
  readonly hasOlder: boolean;
  readonly onClose: () => void;
}

export function RunPanel({ id, parts, hasOlder, onClose }: PanelProps) {
  const run = runOverview(parts);
  const isEmpty =
    run.plan.length + run.files.length + run.subagents.length + run.tasks.length + run.turns.length === 0 &&
    run.context === undefined &&
    run.quotas.length === 0;
  return (
    <aside
      className="run-panel"
      aria-label="Overview"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2>Overview</h2>
        <button type="button" className="icon-button" aria-label="Close the overview" autoFocus onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {isEmpty && <p className="quiet">Nothing to show yet</p>}
      <Meters {...run} />
      <Section title="Plan" isShown={run.plan.length > 0}>
        <Steps steps={run.plan} />
      </Section>
      <Section title="Files" isShown={run.files.length > 0}>
        <ul>
          {run.files.map(({ path, added, removed, seq }) => (
            <li key={path}>
              <a
                className="mono file-name"
                title={path}
                href={addressOf({ page: 'session', id, view: 'terminal', event: seq })}
              >
                <bdi>{visibleTitle(path, TEXT_CHARACTERS_MAX)}</bdi>
              </a>
              <span className="counts">
                <span className="added">+{added}</span> <span className="removed">−{removed}</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Subagents and background work" isShown={run.subagents.length + run.tasks.length > 0}>
        <ul>
          {run.subagents.map((entry) => (
            <li key={entry.tool}>
              <a
                className="one-line"
                href={addressOf({ page: 'session', id, view: 'terminal', event: entry.place.seq })}
              >
                {toolWords(entry).subject || 'Subagent'}
              </a>
              <span className="quiet">{STATE_WORDS[toolState(entry, false, false)]}</span>
            </li>
          ))}
          {run.tasks.map(({ title, state, place }) => (
            <li key={place.seq}>
              <span className="one-line" dir="auto">
                {visibleTitle(title, TEXT_CHARACTERS_MAX)}
              </span>
              <span className="quiet">{TASK_WORDS[state]}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Turns id={id} run={run} />
      {hasOlder && <p className="quiet">Counts what is loaded. Scroll up for earlier turns.</p>}
    </aside>
  );
}

const TASK_WORDS = {
  started: 'running',
  progress: 'running',
  backgrounded: 'in the background',
  completed: 'done',
  failed: 'failed',
  stopped: 'stopped',
} as const;

function Turns({ id, run: { turns, costUsd } }: { readonly id: string; readonly run: RunOverview }) {
  const sum = turns.reduce((all, { end }) => all + (end.costUsd ?? 0), 0);
  const total = costUsd ?? sum;
  const first = Math.max(0, turns.length - TURNS_SHOWN);
  return (
    <Section title={total === 0 ? 'Turns' : `Turns · ${costText(total)}`} isShown={turns.length > 0}>
      <ol start={first + 1}>
        {turns.slice(first).map(({ prompt, end }) => (
          <li key={end.place.seq}>
            <a
              className="one-line"
              dir="auto"
              href={addressOf({ page: 'session', id, view: 'terminal', event: end.place.seq })}
            >
              {visibleTitle(prompt === '' ? 'Turn' : prompt, TEXT_CHARACTERS_MAX)}
            </a>
            <span className="quiet counts">
              {[
                ...(end.durationMs === undefined ? [] : [longDuration(end.durationMs)]),
                ...(end.costUsd === undefined || end.costUsd === 0 ? [] : [costText(end.costUsd)]),
              ].join(' · ')}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Meters({ context, quotas }: Pick<RunOverview, 'context' | 'quotas'>) {
  return (
    <>
      {context !== undefined && context.size > 0 && (
        <Meter
          name="Context"
          percent={(context.used / context.size) * 100}
          words={`${countText(context.used)} of ${countText(context.size)} tokens`}
        />
      )}
      {quotas.map(({ name, usedPercent, resetsAt }) => (
        <Meter
          key={name}
          name={`Quota: ${visibleTitle(name, TEXT_CHARACTERS_MAX)}`}
          percent={usedPercent}
          words={resetsAt === undefined ? '' : `resets ${new Date(resetsAt).toLocaleString()}`}
        />
      ))}
    </>
  );
}

function Meter({ name, percent, words }: { readonly name: string; readonly percent: number; readonly words: string }) {
  const shown = Math.round(Math.min(100, Math.max(0, percent)));
  return (
    <div className="run-meter">
      <p>
        <b>{name}</b> <span className="quiet">{[`${shown} %`, words].filter(Boolean).join(' · ')}</span>
      </p>
      <meter aria-label={name} min={0} max={100} low={70} high={90} optimum={0} value={shown} />
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly isShown: boolean;
  readonly children: React.ReactNode;
}

function Section({ title, isShown, children }: SectionProps) {
  if (!isShown) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
