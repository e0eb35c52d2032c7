/** The actions of the keys of `spool watch` on sessions. Each returns a sentence about its outcome. */
import { agentEnvironment, callerLimits, type Client, type RunOptions } from '@spool/client/node';
import { type QuestionOption, type SessionInfo, type Size, SpoolError } from '@spool/protocol';
import { failureOf } from '../command-line/failure.ts';
import { endSentence } from '../output/session-words.ts';
import type { Row } from './list.ts';
import { localFolder, type NewSession } from './new-session.ts';

export interface ActionResult {
  readonly text: string;
  readonly isTrouble: boolean;
}

export async function promptSession(client: Client, { id, name }: Row, text: string): Promise<ActionResult> {
  try {
    const { isConfirmed, reaction, reason } = await client.prompt(id, text);
    if (!isConfirmed) return trouble(`typed into ${name}, not confirmed: ${reason ?? 'no reaction seen'}`);
    return said(`${name} accepted it${reaction === null ? '' : ` (${reaction})`}`);
  } catch (error) {
    if (SpoolError.is(error, 'INPUT_BLOCKED')) return trouble(`${name} is asking; press space to answer`);
    return failed(name, error);
  }
}

export async function stopSession(client: Client, { id, name }: Row): Promise<ActionResult> {
  try {
    return said(endSentence(await client.stop(id)));
  } catch (error) {
    return failed(name, error);
  }
}

export async function removeSession(client: Client, { id, name }: Row): Promise<ActionResult> {
  try {
    await client.remove(id);
    return said(`removed ${name}`);
  } catch (error) {
    return failed(name, error);
  }
}

export async function renameSession(
  client: Client,
  { id, name }: Row,
  newName: string,
): Promise<{ readonly told: ActionResult; readonly session: SessionInfo | null }> {
  try {
    const session = await client.update(id, { name: newName });
    return { told: said(`renamed ${name} to ${newName}`), session };
  } catch (error) {
    return { told: failed(name, error), session: null };
  }
}

export interface StartResult {
  readonly told: ActionResult;
  readonly id: string | null;
}

/** Runs a line as the user's shell would. */
export async function startSession(client: Client, wanted: NewSession, size: Size): Promise<StartResult> {
  return await started(wanted, async () => {
    const { info } = await client.run({ ...(await placeOf(client, wanted)), command: commandOf(wanted.line), size });
    return info;
  });
}

/** Starts an agent without a terminal; the rest of the line is its first prompt. */
export async function startAgent(client: Client, wanted: NewSession, agent: string): Promise<StartResult> {
  return await started(wanted, async () => {
    const { env, ...place } = await placeOf(client, wanted);
    const { info } = await client.agent(agent, {
      ...place,
      ...(env && { env: { ...agentEnvironment(agent), ...env } }),
      ...(wanted.line !== '' && { prompt: wanted.line }),
    });
    return info;
  });
}

async function started(wanted: NewSession, start: () => Promise<SessionInfo>): Promise<StartResult> {
  try {
    const { id, name } = await start();
    return { told: said(`started ${name}`), id };
  } catch (error) {
    return { told: failed(wanted.agent ?? wanted.line, error), id: null };
  }
}

/**
 * Returns name, folder and environment. On another machine, these are the environment there, and its home folder if none is named.
 */
async function placeOf(
  client: Client,
  { name, folder }: NewSession,
): Promise<Pick<RunOptions, 'name' | 'cwd' | 'env'>> {
  const named = name === '' ? {} : { name };
  if (client.isRemote) return { ...named, ...(folder !== '' && { cwd: folder }) };
  const { environment } = await import('../remote/run-environment.ts');
  return { ...named, cwd: localFolder(folder), env: environment([], false), ...callerLimits() };
}

export async function answerSession(
  client: Client,
  { id, name, status: { question } }: Row,
  option: QuestionOption,
): Promise<ActionResult> {
  if (!question) return trouble(`${name} no longer asks anything`);
  try {
    const { isConfirmed } = await client.answer(id, { question, option: option.label });
    if (isConfirmed) return said(`${name}: answered ${JSON.stringify(option.label)}`);
    return trouble(`${name}: the key was pressed, but the question is still there; press enter to look`);
  } catch (error) {
    return failed(name, error);
  }
}

/** Returns the command of a line. Plain words are run directly, because they name the session better than `sh`. */
function commandOf(line: string): string[] {
  const words = line.trim().split(/\s+/);
  return words.every((word) => /^[\w@%+:,./-]+$/.test(word)) ? words : ['sh', '-c', line];
}

const said = (text: string): ActionResult => ({ text, isTrouble: false });
const trouble = (text: string): ActionResult => ({ text, isTrouble: true });
const failed = (name: string, error: unknown): ActionResult => trouble(`${name}: ${failureOf(error).message}`);
