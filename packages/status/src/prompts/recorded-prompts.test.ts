/**
 * Tests when recorded agents accept a prompt, and the proof that they did; the recordings are those of `tests/fixtures/marks`.
 */
import type { Status } from '@spool/protocol';
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { agentInput, knowsInputLine } from '../sources/input-line.ts';
import type { ScreenView } from '../sources/screen-lines.ts';
import { type MarkedRecording, markedRecordings } from '../testing/marks.ts';
import { replay } from '../testing/replay.ts';
import { readyAfterMs } from './readiness.ts';
import { findingOf, type PromptScreen, squeezed, type Submission, submissionOf } from './prompt-finding.ts';

const AGENTS = ['claude', 'codex', 'gemini', 'grok', 'opencode'];
/** The chosen recordings, three of each agent: windows of all sizes, several versions. */
const CHOSEN = /-(?:p1|q1|r1)$/;
const RECORDINGS = markedRecordings().filter(({ name }) => CHOSEN.test(name));
const of = (agent: string): readonly MarkedRecording[] => RECORDINGS.filter((one) => one.agent === agent);
/** The mark after the first start, in the sets of the project's own recorder. */
const STARTED = 'startup';
/** Prompts that the scripted model accepts. */
const PROMPT = /^please \S/;
/** A text that is in no recording. */
const FOREIGN = 'zebras quickly jump over lazy foxes';

function seen(agent: string, { state, kind, source, activity }: Status, { lines, cursor }: ScreenView): PromptScreen {
  const line = agentInput(BUILT_IN_RULES, agent, { lines, solid: lines, cursor });
  const asks = state === 'blocked' ? (activity ?? 'something') : null;
  const input = line && { text: line.text, rows: line.box };
  return { state, kind, source, asks, input, lines, cursorRow: cursor.row };
}

interface Step {
  readonly label: string | null;
  readonly typed: string;
  screen(): PromptScreen;
}

class Enough extends Error {}

/** Reports the screen of a recording after each event, as long as `onStep` returns true. */
function watch(recording: MarkedRecording, onStep: (step: Step) => boolean): void {
  try {
    replay(recording, {
      onEvent: (event, status, view) => {
        const label = event[1] === 'm' ? event[2] : null;
        const typed = event[1] === 'i' ? event[2] : '';
        if (!onStep({ label, typed, screen: () => seen(recording.agent, status, view()) })) throw new Enough();
      },
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
}

test.each(AGENTS)(
  '[IN-21] %s: a start is not ready before the empty input line, and ready once it is idle',
  (agent) => {
    const hasInputRules = knowsInputLine(BUILT_IN_RULES, agent);
    const started: string[] = [];
    for (const recording of of(agent)) {
      watch(recording, ({ label, typed, screen }) => {
        if (typed !== '') return false;
        const now = screen();
        if (now.asks !== null) return true;
        const afterMs = readyAfterMs({ ...now, hasInputRules, readsByLine: false });
        if (afterMs === 0) expect({ name: recording.name, text: now.input?.text }).toMatchObject({ text: '' });
        if (label !== STARTED) return true;
        started.push(recording.name);
        expect({ name: recording.name, afterMs }).toEqual({ name: recording.name, afterMs: 0 });
        expect(readyAfterMs({ ...now, hasInputRules, readsByLine: true })).toBeNull();
        return true;
      });
    }
    expect(started).toEqual(of(agent).map(({ name }) => name));
  },
);

test.each(AGENTS)('[IN-48] %s: whatever it paints while it starts confirms no prompt', (agent) => {
  let screens = 0;
  const submission: Submission = {
    ...{ text: FOREIGN, held: squeezed(FOREIGN), mentions: 0, wasWorking: false, cursorDepth: 1 },
  };
  for (const recording of of(agent)) {
    watch(recording, ({ typed, screen }) => {
      if (typed !== '') return false;
      screens++;
      expect({ name: recording.name, ...findingOf(submission, screen()) }).toMatchObject({ reaction: null });
      return true;
    });
  }
  expect(screens).toBeGreaterThan(20);
});

test.each(AGENTS)('[IN-48] %s: a prompt is not taken while its line holds it, and taken after Enter', (agent) => {
  const open: string[] = [];
  let prompts = 0;
  for (const recording of of(agent)) {
    let submission: Submission | null = null;
    let isEntered = false;
    watch(recording, ({ label, typed, screen }) => {
      if (label === 'typed') {
        if (submission !== null) open.push(`${recording.name}: ${submission.text}`);
        const now = screen();
        const text = now.input?.text ?? '';
        submission = PROMPT.test(text) ? submissionOf(text, now) : null; // OpenCode draws slowly
        isEntered = false;
        if (submission !== null) prompts++;
      } else if (submission !== null && typed === '\r') isEntered = true;
      else if (submission !== null && typed === '') {
        const now = screen();
        const { reaction, reason } = findingOf(submission, now);
        const isHeld = squeezed(now.input?.text ?? '') === submission.held;
        if (!isEntered || isHeld) expect({ name: recording.name, reaction, reason }).toMatchObject({ reaction: null });
        if (reaction !== null) submission = null;
      }
      return true;
    });
  }
  expect(open).toEqual([]);
  expect(prompts).toBeGreaterThan(10);
});
