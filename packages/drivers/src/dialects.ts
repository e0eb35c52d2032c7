/** The agents that Spool drives, by name. */
import { claude } from './claude/dialect.ts';
import type { Dialect } from './dialect.ts';

export const DRIVER_NAMES = ['claude', 'codex', 'opencode', 'acp', 'gemini', 'grok'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

export function isDriverName(name: string): name is DriverName {
  return (DRIVER_NAMES as readonly string[]).includes(name);
}

export const DIALECTS: Readonly<Record<DriverName, Dialect>> = {
  claude: claude as Dialect,
  codex: claude as Dialect,
  opencode: claude as Dialect,
  acp: claude as Dialect,
  gemini: claude as Dialect,
  grok: claude as Dialect,
};
