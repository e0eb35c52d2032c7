/** `spool resume`: resumes an agent that has ended, in a new session. */
import { agentEnvironment } from '@spool/client/node';
import { reportStarted } from '../agents/run-agent.ts';
import { openClient, type VerbAction } from '../program.ts';
import { requestedVariables } from '../remote/run-environment.ts';
import { runPlace } from '../remote/run-place.ts';

const resume: VerbAction<'resume'> = async ({ flags, operands: [session = '', ...words] }, program) => {
  const { env } = runPlace(program, { ...flags, cwd: undefined });
  await using client = await openClient(program);
  const { driver } = await client.get(session);
  const agent = await client.resumeAgent(session, {
    prompt: words.length === 0 ? undefined : words.join(' '),
    env: client.isRemote ? env : { ...agentEnvironment(driver?.name ?? ''), ...env },
    keptEnv: Object.keys(requestedVariables(flags.env)),
    name: flags.name,
    timeoutMs: flags.timeout,
  });
  return await reportStarted(client, agent, { detach: flags.detach || words.length === 0, json: flags.json });
};

export default resume;
