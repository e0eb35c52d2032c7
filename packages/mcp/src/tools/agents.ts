/**
 * Tools for agents without a terminal: start, interrupt and, only if the user has allowed that, answer what they ask. Keeps
 * MCP-11: without that, no tool answers a permission.
 */
import type { ResumeOptions } from '@spool/client';
import { agentEnvironment, sessionEnvironment } from '@spool/client/node';
import { z } from 'zod';
import { oneLine } from '../session-words.ts';
import { ACTS, type Call, CallError, sessionInput, tool } from '../tool.ts';
import { labelsFor, startInput } from './sessions.ts';

export const agentTool = tool({
  name: 'spool_agent',
  description:
    'Start an agent (claude, codex, gemini, grok, opencode) without a terminal, then spool_wait (idle, blocked) and spool_read.',
  input: z.strictObject({
    agent: z.string().min(1).optional(),
    resume: z.string().optional().describe('an ended one'),
    prompt: z.string().min(1),
    ...startInput,
    model: z.string().optional(),
    program: z.array(z.string()).min(1).optional(),
  }),
  hints: ACTS,
  async call({ agent, resume, prompt, cwd, env, name, model, program }, call) {
    const { isRemote } = call.client;
    if ((agent === undefined) === (resume === undefined)) throw new CallError('give agent or resume');
    if (agent === undefined) return await resumed(call, resume!, { prompt, name, env });
    const handle = await call.client.agent(agent, {
      prompt,
      model,
      program,
      cwd: cwd ?? (isRemote ? undefined : process.cwd()),
      env: isRemote ? env : { ...sessionEnvironment(call.env, env), ...agentEnvironment(agent) },
      name,
      labels: labelsFor(call.agent),
    });
    return `agent ${handle.id} (${oneLine(handle.info.name)}) started; read what it does from cursor 0`;
  },
});

/** The folder, the model and the program are those that it had. */
async function resumed(
  call: Call,
  session: string,
  { prompt, name, env }: Pick<ResumeOptions, 'prompt' | 'name' | 'env'>,
): Promise<string> {
  const { client } = call;
  const { driver } = await client.get(session);
  const environment = { ...sessionEnvironment(call.env, env), ...agentEnvironment(driver?.name ?? '') };
  const handle = await client.resumeAgent(session, { prompt, name, env: client.isRemote ? env : environment });
  return `agent ${handle.id} (${oneLine(handle.info.name)}) goes on; read what it does from cursor 0`;
}

export const interruptTool = tool({
  name: 'spool_interrupt',
  description: 'Interrupt the turn of such an agent; it stays and takes the next prompt.',
  input: z.strictObject({ session: sessionInput }),
  hints: ACTS,
  async call({ session }, { client }) {
    const agent = await client.openAgent(session);
    await agent.interrupt();
    return `${agent.id}: interrupted`;
  },
});

/** Offered only with `spool mcp --allow-approve`. */
export const decideTool = tool({
  name: 'spool_decide',
  description: 'Answer what an agent asks: allow or deny a permission, or answer a question.',
  input: z.strictObject({
    session: sessionInput,
    request: z.string().optional().describe('default: the oldest'),
    decision: z.enum(['allow', 'deny', 'answer']),
    message: z.string().optional().describe('the reason of a denial, or the answer'),
  }),
  hints: ACTS,
  async call({ session, request, decision, message }, { client }) {
    const agent = await client.openAgent(session);
    const kind = decision === 'answer' ? 'question.asked' : 'permission.requested';
    const ask = (await agent.pending()).find(
      (each) => each.kind === kind && (request ?? each.request) === each.request,
    );
    if (!ask) throw new CallError(`${oneLine(agent.info.name)} asks nothing of this kind`);
    if (ask.kind === 'question.asked' && message === undefined) throw new CallError('give the answer as message');
    const { isOurs, outcome, reason } =
      ask.kind === 'question.asked'
        ? await agent.answer(ask.request, Object.fromEntries(ask.questions.map(({ id }) => [id, message])))
        : decision === 'allow'
          ? await agent.approve(ask.request)
          : await agent.deny(ask.request, { message });
    if (isOurs) return `${agent.id}: ${outcome?.decision ?? 'done'}`;
    const who = outcome?.who === undefined ? '' : ` by ${oneLine(outcome.who)}`;
    throw new CallError(
      outcome === null ? (reason ?? 'it is gone') : `it was decided before${who}: ${outcome.decision}`,
    );
  },
});
