/** How this browser shows terminals: kept here, because it is how this user looks at them. */
import { create } from 'zustand';

const KEY = 'spool-settings';

export const BELLS = { none: 'nothing', seen: 'a flash of its frame', heard: 'a flash and a short tone' } as const;

export interface Settings {
  /** Of terminals; null: the whole width fits. */
  readonly fontPx: number | null;
  /** What happens when the program of an open terminal rings. */
  readonly bell: keyof typeof BELLS;
}

const DEFAULTS: Settings = { fontPx: null, bell: 'seen' };
export const FONT_SIZES_PX: readonly number[] = [10, 12, 14, 16, 18, 20, 24];

function load(): Settings {
  try {
    const { fontPx, bell } = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}')) as Partial<Settings>;
    return {
      fontPx: FONT_SIZES_PX.includes(fontPx as number) ? fontPx! : DEFAULTS.fontPx,
      bell: Object.hasOwn(BELLS, bell ?? '') ? bell! : DEFAULTS.bell,
    };
  } catch {
    return DEFAULTS; // what another version wrote
  }
}

export const useSettings = create<Settings>(load);

export function changeSettings(part: Partial<Settings>): void {
  useSettings.setState(part);
  const { fontPx, bell } = useSettings.getState();
  localStorage.setItem(KEY, JSON.stringify({ fontPx, bell }));
}
