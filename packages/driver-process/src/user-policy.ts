/**
 * The user's policy: `policy.json` in the configuration folder. It is read again for each permission, so that a change takes effect
 * at once. Keeps POL-4: without a policy, or with one that cannot be read, every permission waits for a user.
 */
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { makePolicyFiles, type Policy, policyCommand, readPolicy } from '@spool/drivers/policy';
import type { PolicyAnswers } from './policy-answers.ts';

export interface UserPolicyOptions {
  readonly configFolder: string;
  /** The agent's folder: rules for paths are relative to it. */
  readonly cwd: string;
  /** Called once for each new fault of the file. */
  readonly warn: (sentence: string) => void;
}

export function userPolicy({ configFolder, cwd, warn }: UserPolicyOptions): PolicyAnswers {
  const file = `${configFolder}/policy.json`;
  const files = makePolicyFiles(fs, homedir());
  let lastFault = '';
  const fault = (sentence: string): null => {
    if (sentence !== lastFault) warn(sentence);
    lastFault = sentence;
    return null;
  };
  const read = (): Policy | null => {
    let value: unknown;
    try {
      value = JSON.parse(fs.readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      return fault(`${file} cannot be read, so every permission is asked: ${(error as Error).message}`);
    }
    const result = readPolicy(value);
    if ('fault' in result) return fault(`${file} does not count, so every permission is asked: ${result.fault}`);
    lastFault = '';
    return result.policy;
  };
  return {
    answers: (bodies) =>
      bodies.flatMap((body) => {
        if (body.kind !== 'permission.requested') return [];
        const policy = read();
        const answer = policy === null ? undefined : policyCommand(policy, body, cwd, files);
        return answer === undefined ? [] : [answer];
      }),
  };
}
