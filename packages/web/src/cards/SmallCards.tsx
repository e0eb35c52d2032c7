/** The small cards: a plan, a notice, a decision, a change, the agent's name, and the end of a turn. */
import { longDuration } from '@spool/protocol/duration';
import { costText, tokensText, type TranscriptEntry, type TurnEndEntry, visibleTitle } from '@spool/render';

const TEXT_CHARACTERS_MAX = 2_000;
const WHO_CHARACTERS_MAX = 200;

type SmallEntry<K extends TranscriptEntry['kind']> = Extract<TranscriptEntry, { readonly kind: K }>;

export function PlanCard({ entry }: { readonly entry: SmallEntry<'plan'> }) {
  const steps = entry.entries.filter(({ status }) => status !== 'deleted');
  const done = steps.filter(({ status }) => status === 'completed').length;
  return (
    <article className="card plan-card" data-event-seq={entry.place.seq} aria-label="Plan">
      <p className="card-head">
        <b>Plan</b>{' '}
        <span className="quiet">
          {done} of {steps.length} done
        </span>
      </p>
      <Steps steps={steps} />
    </article>
  );
}

export function Steps({ steps }: { readonly steps: readonly { readonly text: string; readonly status: string }[] }) {
  return (
    <ul className="steps">
      {steps.map(({ text, status }, at) => (
        <li key={at} data-status={status} dir="auto">
          <span aria-hidden="true" className="step-sign" />
          <span className="sr-only">{STEP_WORDS[status] ?? 'to do'}: </span>
          {visibleTitle(text, TEXT_CHARACTERS_MAX)}
        </li>
      ))}
    </ul>
  );
}

const STEP_WORDS: Readonly<Record<string, string>> = {
  completed: 'done',
  in_progress: 'in progress',
  pending: 'to do',
};

export function NoteCard({ entry }: { readonly entry: SmallEntry<'note'> }) {
  return (
    <p className="card note-card" data-event-seq={entry.place.seq} data-level={entry.level} dir="auto">
      {visibleTitle(entry.text, TEXT_CHARACTERS_MAX)}
    </p>
  );
}

export function AgentCard({ entry }: { readonly entry: SmallEntry<'agent'> }) {
  return (
    <p className="card note-card" data-event-seq={entry.place.seq} data-level="info">
      {visibleTitle(entry.text, TEXT_CHARACTERS_MAX)}
    </p>
  );
}

const DECISION_WORDS = {
  allow: 'Allowed',
  deny: 'Denied',
  cancelled: 'Withdrawn',
  error: 'Failed',
  answered: 'Answered',
  declined: 'Declined',
} as const;

export function DecisionCard({ entry }: { readonly entry: SmallEntry<'ask'> }) {
  const { outcome } = entry;
  if (outcome === null) return null;
  const { decision, who, about, message, changedTo } = outcome;
  const isGood = decision === 'allow' || decision === 'answered';
  return (
    <p className="card note-card" data-event-seq={entry.place.seq} data-level={isGood ? 'ok' : 'error'} dir="auto">
      {DECISION_WORDS[decision]}
      {who === undefined ? '' : ` by ${visibleTitle(who, WHO_CHARACTERS_MAX)}`} <span className="quiet">{about}</span>
      {changedTo === undefined ? '' : ` with another input: ${changedTo}`}
      {message === undefined || message === '' ? '' : ` “${visibleTitle(message, TEXT_CHARACTERS_MAX)}”`}
    </p>
  );
}

const OUTCOME_WORDS: Readonly<Partial<Record<TurnEndEntry['outcome'], string>>> = {
  interrupted: 'Interrupted',
  failed: 'The turn failed',
  refused: 'Refused by the agent',
  limit: 'Stopped by a limit',
};

interface TurnEndProps {
  readonly entry: SmallEntry<'turn-end'>;
  readonly files: readonly string[];
  /** Sends the prompt of the turn again; null if that is not possible here. */
  readonly onRetry: (() => void) | null;
}

export function TurnEndCard({ entry, files, onRetry }: TurnEndProps) {
  const { outcome, error, usage, costUsd, durationMs } = entry;
  const isBad = outcome === 'failed' || outcome === 'refused' || outcome === 'limit';
  const facts = [
    ...(durationMs === undefined ? [] : [longDuration(durationMs)]),
    ...(usage === undefined ? [] : [tokensText(usage)]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [costText(costUsd)]),
    ...(files.length === 0 ? [] : [files.length === 1 ? '1 file changed' : `${files.length} files changed`]),
  ].filter((fact) => fact !== '' && fact !== '0 in, 0 out');
  if (outcome === 'completed' && facts.length === 0)
    return <hr className="card turn-rule" data-event-seq={entry.place.seq} aria-label="End of the turn" />;
  return (
    <footer
      className="card turn-card"
      data-event-seq={entry.place.seq}
      data-outcome={outcome}
      aria-label="End of the turn"
      title={files.length === 0 ? undefined : files.slice(0, 20).join('\n')}
    >
      <p>{[...(OUTCOME_WORDS[outcome] === undefined ? [] : [OUTCOME_WORDS[outcome]]), ...facts].join(' · ')}</p>
      {error !== undefined && (
        <p className="turn-error" dir="auto">
          {visibleTitle(error.message, TEXT_CHARACTERS_MAX)}
        </p>
      )}
      {isBad && onRetry !== null && (
        <button type="button" className="button" onClick={onRetry}>
          Retry
        </button>
      )}
    </footer>
  );
}
