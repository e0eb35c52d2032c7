/** What a permission request of an agent is about, and the command that answers it by a policy. */
import type { AgentBody, Command } from '@spool/protocol/agent';
import { objectOf, textOf, textsOf } from '../json-value.ts';
import { decide, type Policy, type PolicyRequest } from './policy.ts';
import { loginShellScript } from './shell-line.ts';

type Requested = Extract<AgentBody, { kind: 'permission.requested' }>;

export function policyRequest(event: Requested, cwd: string): PolicyRequest {
  const input = objectOf(event.input);
  const command =
    textOf(input.command) ?? (Array.isArray(input.command) ? textsOf(input.command).join(' ') : undefined);
  const named = ['file_path', 'notebook_path', 'filePath', 'filepath', 'path'].flatMap(
    (key) => textOf(input[key]) ?? [],
  );
  const paths = [...new Set([...named, ...textsOf(input.paths), ...(event.diffs ?? []).map(({ path }) => path)])];
  return {
    tool: event.name ?? event.title ?? '',
    cwd,
    ...(command === undefined ? {} : { command: loginShellScript(command) ?? command }),
    ...(command === undefined && paths.length > 0 ? { paths } : {}),
  };
}

/** The answer of the policy, naming its rule; undefined when a person must decide. */
export function policyCommand(policy: Policy, event: Requested, cwd: string): Command | undefined {
  if (event.humanOnly) return undefined;
  const { decision, rule, reason } = decide(policy, policyRequest(event, cwd));
  if (decision === 'ask' || rule === undefined) return undefined;
  const message = decision === 'deny' ? { message: `Denied by a rule of the user: ${reason}.` } : {};
  return { do: 'permission', request: event.request, behavior: decision, rule, ...message };
}
