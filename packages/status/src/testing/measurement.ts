/** Measures how often the status is right at the marks: per agent and state, precision and recall. */
import type { StatusState } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import type { StatusRecording } from './recordings.ts';
import { replay } from './replay.ts';
import { EXCEPTIONS, TRUTH } from './truth.ts';

export interface MeasurementVerdict {
  readonly recording: string;
  readonly agent: string;
  readonly ms: number;
  readonly label: string;
  readonly truth: StatusState;
  readonly found: StatusState;
  /** The deciding source, for the list of mistakes. */
  readonly by: string;
}

const WORKING_TITLE = /^[◐◑✦⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;

/** Withholds all events: the screen, bytes and silence remain. */
export const SCREEN_ALONE = ({ type }: OscEvent): boolean =>
  type === 'status-reported' || type === 'title-changed' || type === 'notified' || type === 'progress-changed';

export function verdicts(recording: StatusRecording, withholds?: (fact: OscEvent) => boolean): MeasurementVerdict[] {
  const found: MeasurementVerdict[] = [];
  replay(recording, {
    ...(withholds && { withholds }),
    onEvent: (event, status) => {
      if (event[1] !== 'm') return;
      const [ms, , label] = event;
      const truth = EXCEPTIONS[`${recording.name} ${label}`] ?? TRUTH[label];
      if (truth === undefined) return;
      const by = status.evidence[0]?.rule ?? status.source;
      found.push({ recording: recording.name, agent: recording.agent, ms, label, truth, found: status.state, by });
    },
  });
  return found;
}

export const shareRight = (all: readonly MeasurementVerdict[]): number =>
  all.filter(({ truth, found }) => truth === found).length / all.length;

export const mistakes = (all: readonly MeasurementVerdict[]): string[] =>
  all
    .filter(({ truth, found }) => truth !== found)
    .map(
      ({ recording, ms, label, truth, found, by }) => `${recording} ${ms} ms ${label}: ${found} (${by}), not ${truth}`,
    );

/** Returns rows of a page: agent, state, marks, precision and recall with all sources, and by the screen alone. */
export function table(everything: readonly MeasurementVerdict[], screenAlone: readonly MeasurementVerdict[]): string {
  const agents = [...new Set(everything.map(({ agent }) => agent)), ''];
  const rows = agents.flatMap((agent) =>
    (['working', 'blocked', 'idle', 'exited'] as const).flatMap((state) => {
      const [one, other] = [everything, screenAlone].map((all) =>
        quality(
          all.filter((each) => agent === '' || each.agent === agent),
          state,
        ),
      );
      return one!.marks === 0
        ? []
        : [`| ${agent || '**all**'} | ${state} | ${one!.marks} | ${shown(one!)} | ${shown(other!)} |`];
    }),
  );
  return [
    '| agent | state | marks | precision | recall | precision, screen alone | recall, screen alone |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

interface Quality {
  readonly marks: number;
  readonly precision: number;
  readonly recall: number;
}

function quality(all: readonly MeasurementVerdict[], state: StatusState): Quality {
  const marks = all.filter(({ truth }) => truth === state).length;
  const said = all.filter(({ found }) => found === state).length;
  const right = all.filter(({ truth, found }) => truth === state && found === state).length;
  return { marks, precision: said === 0 ? Number.NaN : right / said, recall: right / marks };
}

const shown = ({ precision, recall }: Quality): string => `${percent(precision)} | ${percent(recall)}`;

export const percent = (share: number): string => (Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`);

/**
 * Returns the time for which a program reported work, by its own report or the spinner in its title, and the part of it for which
 * the status agreed by the screen alone. Marks of work are few; this is a second measure. The first moments do not count, until
 * the first sample.
 */
export function workedMs(recording: StatusRecording): { readonly said: number; readonly found: number } {
  let reports = false;
  let workSince: number | null = null;
  let [said, found, lastMs] = [0, 0, 0];
  let lastState: StatusState = 'starting';
  let isWorking = false;
  replay(recording, {
    withholds: (fact) => {
      if (fact.type === 'status-reported') [reports, isWorking] = [true, fact.status.state === 'working'];
      if (fact.type === 'title-changed' && !reports) isWorking = WORKING_TITLE.test(fact.title);
      return SCREEN_ALONE(fact);
    },
    onStep: (ms, { state }) => {
      const spent = workSince === null ? 0 : ms - Math.max(lastMs, workSince + LOOK_MS);
      if (spent > 0) said += spent;
      if (spent > 0 && lastState === 'working') found += spent;
      workSince = isWorking ? (workSince ?? ms) : null;
      [lastMs, lastState] = [ms, state];
    },
  });
  return { said, found };
}

/** The time until a sample: one every 150 ms, and the time until a burst has settled. */
const LOOK_MS = 200;
