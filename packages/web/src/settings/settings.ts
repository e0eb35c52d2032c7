/** The settings for terminals in this browser: kept here, because they belong to this user. */
import { create } from 'zustand';

const KEY = 'spool-settings';

export const BELLS = { none: 'off', seen: 'flash', heard: 'flash and sound' } as const;

export interface PageSettings {
  /** The font size of terminals; null means that the whole width fits. */
  readonly fontPx: number | null;
  /** The reaction when the program of an open terminal rings. */
  readonly bell: keyof typeof BELLS;
}

const DEFAULTS: PageSettings = { fontPx: null, bell: 'seen' };
export const FONT_SIZES_PX: readonly number[] = [10, 12, 14, 16, 18, 20, 24];

function load(): PageSettings {
  try {
    const { fontPx, bell } = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}')) as Partial<PageSettings>;
    return {
      fontPx: FONT_SIZES_PX.includes(fontPx as number) ? fontPx! : DEFAULTS.fontPx,
      bell: Object.hasOwn(BELLS, bell ?? '') ? bell! : DEFAULTS.bell,
    };
  } catch {
    return DEFAULTS; // another version wrote it
  }
}

export const useSettings = create<PageSettings>(load);

export function changeSettings(part: Partial<PageSettings>): void {
  useSettings.setState(part);
  const { fontPx, bell } = useSettings.getState();
  localStorage.setItem(KEY, JSON.stringify({ fontPx, bell }));
}
