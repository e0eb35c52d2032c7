/**
 * The true status at the marks of the recordings, and the recordings that the rules were not tuned on.
 *
 * A mark names the content of the screen at its offset. Those named after a key are written before the key is pressed: at
 * `submitted` the text is at the prompt and Enter is still to come; at `approved` the dialog is still there.
 */
import type { StatusState } from '@spool/protocol';

export const TRUTH: Readonly<Record<string, StatusState>> = {
  'after-key-2': 'idle', // the tool was done at once, the prompt is back
  'after-one-write': 'idle',
  'after-second-enter': 'idle',
  'api-key-dialog': 'blocked',
  approved: 'blocked',
  'approved-session': 'blocked',
  'ctrl-c-once': 'idle',
  denied: 'blocked',
  'dialog-visible': 'blocked',
  exited: 'exited',
  'idle-66s': 'idle',
  'idle-after-answer': 'idle',
  'idle-after-approval': 'idle',
  'idle-after-cancel': 'idle',
  'idle-after-clear': 'idle',
  'idle-after-deny': 'idle',
  'idle-after-edit': 'idle',
  'idle-after-error': 'idle',
  'idle-after-file': 'idle',
  'idle-after-hello': 'idle',
  'idle-after-interrupt': 'idle',
  'idle-after-long-output': 'idle',
  'idle-after-markdown': 'idle',
  'idle-after-paste': 'idle',
  'idle-after-question': 'idle',
  'idle-after-remote-approval': 'idle',
  'idle-after-remote-denial': 'idle',
  'idle-after-subagent': 'idle',
  'idle-after-thinking': 'idle',
  'idle-after-tool': 'idle',
  'idle-after-write': 'idle',
  'idle-prompt': 'idle',
  'idle-resized': 'idle',
  'idle-startup': 'idle',
  interrupt: 'working',
  pasted: 'idle',
  'permission-command': 'blocked',
  'permission-dialog': 'blocked',
  'permission-dialog-12s': 'blocked',
  'permission-dialog-bash': 'blocked',
  'permission-dialog-edit': 'blocked',
  'permission-edit': 'blocked',
  'question-dialog': 'blocked',
  'quit-confirmation': 'idle', // a hint below the prompt, not a dialog
  'resized-140x45': 'idle',
  'resized-60x20': 'idle',
  'slash-menu': 'idle', // commands to choose from, while the user types
  streaming: 'working',
  submitted: 'idle',
  'tool-running': 'working',
  'trust-dialog': 'blocked',
  'trust-dialog-yes-selected': 'blocked',
  'working-9s': 'working',
  'working-command': 'working',
  'working-text': 'working',
};

/** Marks whose label does not describe the screen. */
export const EXCEPTIONS: Readonly<Record<string, StatusState>> = {
  // The turn ended by itself (`Sautéed for 3s · done`, `? for shortcuts`) 0.3 s before the key that should interrupt it.
  'claude/tui-hooks interrupt': 'idle',
};

/** Marks that are ambiguous, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  start: 'a moment after the start: a dialog in some recordings, a prompt or next to nothing in others',
  'turn-done': 'taken while the last frames of the turn were drawn: the screen still shows the work',
  'tool-done': 'as `turn-done`',
};

/** Recordings that were chosen before the first rule was written, and not examined before the rules were done. */
export const HELD_OUT: ReadonlySet<string> = new Set([
  'claude/tui-bracketed-paste',
  'claude/tui-full-kitty',
  'claude/tui-full-silent',
  'claude/tui-hook-denies',
  'claude/tui-hooks',
  'claude/tui-http-hooks-allow',
  'claude/tui-long-output',
  'claude/tui-markdown-unicode',
  'claude/tui-notify-ghostty',
  'claude/tui-notify-vscode',
  'claude/tui-onboarding-offline',
  'claude/tui-subagent',
  'claude/tui-waiting-for-model',
  'claude/tui-write-edit',
  'codex/tui-quit-xterm',
  'codex/tui-session-inline',
  'codex/tui-session-inline-silent',
  'codex/tui-startup-nodaemon-xterm',
  'codex/tui-startup-silent',
  'gemini/tui-full-kitty',
  'gemini/tui-full-silent',
  'gemini/tui-hooks',
  'grok/tui-session-minimal-silent',
  'grok/tui-startup-ghostty-silent',
  'grok/tui-startup-silent',
  'opencode/tui-session-mini-silent',
  'opencode/tui-startup-kitty',
  'opencode/tui-startup-silent',
]);
