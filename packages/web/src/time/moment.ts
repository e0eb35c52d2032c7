/**
 * The moment of a run that all panes show: the present, or one of the past. A pane that knows the moment by its own measure (a card
 * by its event, the terminal by its offset) sets it, and the others follow by the time. Keeps CARD-12.
 */
import { createContext, useContext } from 'react';

export interface Moment {
  /** The time, in milliseconds since 1970; null until the screen of the offset is known. */
  readonly at: number | null;
  /** The offset in the output log; null if only the time is known. */
  readonly offset: number | null;
  /** The number of the event whose card was chosen. */
  readonly event: number | null;
}

export interface MomentState {
  /** The moment; null means the present. */
  readonly moment: Moment | null;
  /** Whether another pane shows the moment of a card. */
  readonly isFollowed: boolean;
  readonly setMoment: (moment: Moment | null) => void;
  /** Sets the moment, and opens a pane that shows it. */
  readonly showMoment: (moment: Moment) => void;
}

const ALONE: MomentState = { moment: null, isFollowed: false, setMoment: () => {}, showMoment: () => {} };

export const MomentContext = createContext<MomentState>(ALONE);

export const useMoment = (): MomentState => useContext(MomentContext);
