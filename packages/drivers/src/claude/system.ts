/** Lines about the program itself: its identity, its activity, retries, hooks, background tasks. */
import { type JsonObject, listOf, numberOf, objectOf, present, textOf, textsOf } from '../json-value.ts';
import type { ClaudeWork } from './state.ts';

export function system(work: ClaudeWork, line: JsonObject): boolean {
  const { ledger, state } = work;
  switch (line.subtype) {
    case 'init':
      return init(work, line);
    case 'status': {
      const status = textOf(line.status);
      if (status !== undefined) work.detail = status;
      setMode(work, textOf(line.permissionMode));
      return true;
    }
    case 'thinking_tokens':
      work.detail = 'thinking';
      return true;
    case 'api_retry': {
      work.detail = 'retrying';
      const code = textOf(line.error) ?? 'error';
      ledger.emit({
        kind: 'retry',
        attempt: numberOf(line.attempt) ?? 1,
        error: { code, message: code, httpStatus: numberOf(line.error_status) ?? null, retryable: true },
        ...present({ max: numberOf(line.max_retries), delayMs: numberOf(line.retry_delay_ms) }),
      });
      return true;
    }
    case 'compact_boundary': {
      const meta = objectOf(line.compact_metadata);
      const tokens = { tokensBefore: numberOf(meta.pre_tokens), tokensAfter: numberOf(meta.post_tokens) };
      ledger.emit({ kind: 'session.reset', reason: 'compact', ...present(tokens) });
      return true;
    }
    case 'hook_started':
    case 'hook_response': {
      const body = { id: textOf(line.hook_id), exitCode: numberOf(line.exit_code), output: textOf(line.output) };
      const phase = line.subtype === 'hook_started' ? 'started' : 'done';
      ledger.emit({ kind: 'hook', phase, name: textOf(line.hook_name) ?? 'hook', ...present(body) });
      return true;
    }
    case 'informational':
      notice(work, line, textOf(line.content) ?? '', textOf(line.tag));
      return true;
    case 'permission_denied':
      notice(work, { level: 'warning' }, textOf(line.message) ?? 'a tool was denied', 'permission-denied');
      return true;
    case 'session_state_changed':
      if (line.state === 'idle') state.ledger.isReady = true;
      return true;
    case 'session_title_changed':
      ledger.emit({ kind: 'session.updated', ...present({ title: textOf(line.title) }) });
      return true;
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'task_notification':
      return task(work, line);
    case 'background_tasks_changed': {
      const tasks = listOf(line.tasks).map((value) => {
        const { task_id, task_type, description } = objectOf(value);
        return { task: textOf(task_id) ?? '', ...present({ taskKind: textOf(task_type), title: textOf(description) }) };
      });
      ledger.emit({ kind: 'tasks.live', tasks });
      return true;
    }
    default:
      return false;
  }
}

function init(work: ClaudeWork, line: JsonObject): boolean {
  const { state, ledger } = work;
  const session = textOf(line.session_id);
  const model = textOf(line.model);
  const mode = textOf(line.permissionMode);
  const isTurnDue = !ledger.state.turn;
  state.ledger.isReady = true;
  if (!state.isStarted) {
    state.isStarted = true;
    state.version = textOf(line.claude_code_version) ?? null;
    const about = {
      agentVersion: state.version ?? undefined,
      agentSession: session,
      model,
      mode,
      cwd: textOf(line.cwd),
    };
    const lists = { tools: textsOf(line.tools), commands: textsOf(line.slash_commands) };
    ledger.emit({ kind: 'session.started', agentName: 'claude', ...present(about), ...lists });
  } else if (session !== (state.session ?? undefined) || model !== (state.model ?? undefined)) {
    ledger.emit({ kind: 'session.updated', ...present({ agentSession: session, model }) });
  }
  state.session = session ?? state.session;
  state.model = model ?? state.model;
  state.mode = mode ?? state.mode;
  if (isTurnDue) ledger.startTurn(state.isTaskDue ? 'task' : 'user');
  state.isTaskDue = false;
  return true;
}

export function setMode({ state, ledger }: ClaudeWork, mode: string | undefined): void {
  if (mode === undefined || mode === state.mode) return;
  state.mode = mode;
  ledger.emit({ kind: 'session.updated', mode });
}

function notice({ ledger }: ClaudeWork, line: JsonObject, text: string, code: string | undefined): void {
  const level = line.level === 'warning' || line.level === 'error' ? line.level : 'info';
  ledger.emit({ kind: 'notice', level, text, ...present({ code }) });
}

function task({ ledger, state }: ClaudeWork, line: JsonObject): boolean {
  const patch = objectOf(line.patch);
  const about = {
    taskKind: textOf(line.task_type) ?? textOf(line.subagent_type),
    tool: textOf(line.tool_use_id),
    title: textOf(line.description),
    note: textOf(line.summary) ?? textOf(line.last_tool_name),
    outputFile: textOf(line.output_file),
  };
  const status = textOf(line.status) ?? textOf(patch.status);
  if (line.subtype === 'task_notification' && !ledger.state.turn) state.isTaskDue = true;
  ledger.emit({
    kind: 'task',
    task: textOf(line.task_id) ?? '',
    state:
      line.subtype === 'task_started'
        ? line.is_backgrounded === true
          ? 'backgrounded'
          : 'started'
        : status === 'completed' || status === 'failed' || status === 'stopped'
          ? status
          : patch.is_backgrounded === true
            ? 'backgrounded'
            : 'progress',
    ...present(about),
  });
  return true;
}
