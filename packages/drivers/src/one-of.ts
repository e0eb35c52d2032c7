/** Creates a dialect for a program that speaks several, one in each run: the first message that one of them recognizes decides. */
import type { AgentSource } from '@spool/protocol/agent';
import type { Dialect, DialectOptions, DriverInput, Step } from './dialect.ts';
import { isObject, type JsonObject, parseJson } from './json-value.ts';

export interface Candidate {
  readonly name: string;
  readonly dialect: Dialect;
  /** Returns whether a line of the agent is of this dialect. */
  isOwn(message: JsonObject): boolean;
}

interface OneOfState {
  readonly options: DialectOptions;
  /** The name of the dialect, once it is known, and its state. */
  readonly chosen: string | null;
  readonly inner: unknown;
}

/**
 * Returns the combined dialect. A running program speaks the dialect in the options, or the first one; a recording may be of any.
 */
export function oneOf(source: AgentSource, candidates: readonly [Candidate, ...Candidate[]]): Dialect<OneOfState> {
  const stepOf = (state: OneOfState, chosen: Candidate, input: DriverInput): Step<OneOfState> => {
    const before = state.chosen === chosen.name ? state.inner : chosen.dialect.initial(state.options);
    const { state: inner, ...rest } = chosen.dialect.step(before, input);
    return { state: { ...state, chosen: chosen.name, inner }, ...rest };
  };
  return {
    source,
    initial: (options = {}) => ({ options, chosen: null, inner: null }),
    step(state, input) {
      const usual = candidates.find(({ name }) => name === state.options.wire) ?? candidates[0];
      const known = candidates.find(({ name }) => name === state.chosen);
      if (known) return stepOf(state, known, input);
      if (!state.options.isReadOnly || input.type !== 'line') return stepOf(state, usual, input);
      const message = input.stream === 'stderr' ? undefined : parseJson(input.text);
      const own = isObject(message) ? candidates.find((candidate) => candidate.isOwn(message)) : undefined;
      if (own) return stepOf(state, own, input);
      // Undecided so far: the usual dialect shows the line, and its state is not kept.
      const { events } = usual.dialect.step(usual.dialect.initial(state.options), input);
      return { state, events, writes: [] };
    },
  };
}
