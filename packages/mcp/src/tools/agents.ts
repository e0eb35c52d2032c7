/**
 * Tools for agents without a terminal: start, interrupt and, only if the user has allowed that, answer their requests. Keeps
 * MCP-11: without that permission, no tool answers a request.
 */
import type { ResumeOptions } from '@spool/client';
import { agentEnvironment, sessionEnvironment } from '@spool/client/node';
import { z } from 'zod';
import { findRequest, headlineOf } from '../agent-requests.ts';
import { oneLine, sessionData } from '../session-words.ts';
import { ACTS, type Call, CallError, sessionInput, tool, type ToolData } from '../tool.ts';
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
    const text = `agent ${handle.id} (${oneLine(handle.info.name)}) started; read what it does from cursor 0`;
    return { text, data: { ...sessionData(handle.info), cursor: 0 } };
  },
});

/** Resumes an agent, with its former folder, model and program. */
async function resumed(
  call: Call,
  session: string,
  { prompt, name, env }: Pick<ResumeOptions, 'prompt' | 'name' | 'env'>,
): Promise<ToolData> {
  const { client } = call;
  const { driver } = await client.get(session);
  const environment = { ...sessionEnvironment(call.env, env), ...agentEnvironment(driver?.name ?? '') };
  const handle = await client.resumeAgent(session, { prompt, name, env: client.isRemote ? env : environment });
  const text = `agent ${handle.id} (${oneLine(handle.info.name)}) is resumed; read its events from cursor 0`;
  return { text, data: { ...sessionData(handle.info), cursor: 0 } };
}

export const interruptTool = tool({
  name: 'spool_interrupt',
  description: 'Interrupt the turn of such an agent; it stays and takes the next prompt.',
  input: z.strictObject({ session: sessionInput }),
  hints: ACTS,
  async call({ session }, { client }) {
    const agent = await client.openAgent(session);
    await agent.interrupt();
    return { text: `${agent.id}: interrupted`, data: { id: agent.id, name: agent.info.name } };
  },
});

/** Offered only with `spool mcp --allow-approve`. */
export const decideTool = tool({
  name: 'spool_decide',
  description: 'Answer what an agent asks: allow or deny a permission, or answer a question.',
  input: z.strictObject({
    session: sessionInput,
    request: z.string().min(1),
    digest: z.string().optional().describe('as read; needed to allow or answer'),
    decision: z.enum(['allow', 'deny', 'answer']),
    option: z.string().optional().describe('its id'),
    message: z.string().optional().describe('the reason of a denial, or the answer'),
  }),
  hints: ACTS,
  async call({ session, request, digest, decision, option, message }, { client }) {
    const agent = await client.openAgent(session);
    const event = await findRequest(client, agent.id, request);
    const isQuestion = event.kind === 'question.asked';
    if (isQuestion !== (decision === 'answer'))
      throw new CallError(isQuestion ? 'it is a question: decide with answer' : 'it is a permission: allow or deny');
    if (decision !== 'deny' && digest === undefined)
      throw new CallError('give the digest that was read with the request: it says what you have seen');
    if (isQuestion && message === undefined) throw new CallError('give the answer as message');
    const ref = { request, digest };
    const { isOurs, outcome, reason } = isQuestion
      ? await agent.answer(ref, Object.fromEntries(event.questions.map(({ id }) => [id, message])))
      : decision === 'allow'
        ? await agent.approve(ref, { option })
        : await agent.deny(ref, { option, message });
    const decided = outcome?.decision ?? 'done';
    if (isOurs)
      return {
        text: `${agent.id}: ${decided}: ${headlineOf(event)}`,
        data: { id: agent.id, name: agent.info.name, request, decision: decided },
      };
    const who = outcome?.who === undefined ? '' : ` by ${oneLine(outcome.who)}`;
    throw new CallError(
      outcome === null ? (reason ?? 'it is gone') : `it was decided before${who}: ${outcome.decision}`,
    );
  },
});
