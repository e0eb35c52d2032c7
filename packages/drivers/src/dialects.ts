/** The agents that Spool drives, by name. Keeps DRV-12. */
import { acp } from './acp/dialect.ts';
import { claude } from './claude/dialect.ts';
import { claudeTerminal } from './claude/terminal/dialect.ts';
import { codex } from './codex/dialect.ts';
import { codexTerminal } from './codex/terminal/dialect.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { geminiTerminal } from './gemini/terminal/dialect.ts';
import { grok } from './grok/dialect.ts';
import { grokTerminal } from './grok/terminal/dialect.ts';
import { opencode } from './opencode/dialect.ts';
import { opencodeTerminal } from './opencode/terminal/dialect.ts';

export const DRIVER_NAMES = ['claude', 'codex', 'opencode', 'acp', 'gemini', 'grok'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

export function isDriverName(name: string): name is DriverName {
  return (DRIVER_NAMES as readonly string[]).includes(name);
}

export const DIALECTS: Readonly<Record<DriverName, Dialect>> = {
  claude: claude as Dialect,
  codex: codex as Dialect,
  opencode: opencode as Dialect,
  acp: acp as Dialect,
  gemini: gemini as Dialect,
  grok: grok as Dialect,
};

/** The agents in terminals whose side channel is read, by name. */
export const CHANNEL_DIALECTS: Readonly<Partial<Record<DriverName, Dialect>>> = {
  claude: claudeTerminal as Dialect,
  codex: codexTerminal as Dialect,
  grok: grokTerminal as Dialect,
  opencode: opencodeTerminal as Dialect,
  gemini: geminiTerminal as Dialect,
};
