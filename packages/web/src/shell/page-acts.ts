/** The actions that the open page offers to the palette, by their labels. A page sets them while it is shown. Keeps PAGE-72. */
import { useEffect, useRef } from 'react';

export interface PageAct {
  readonly label: string;
  readonly run: () => void;
}

let offered: () => readonly PageAct[] = () => [];

export const pageActs = (): readonly PageAct[] => offered();

export function useOfferedActs(acts: readonly PageAct[]): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const own = (): readonly PageAct[] => latest.current;
    offered = own;
    return () => {
      if (offered === own) offered = () => [];
    };
  }, []);
}
