import { inNamespace, NAMESPACES_MISSING } from '@spool/testkit';
import { NOT_ROOT, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import type { CampaignReport } from '../packages/testkit/faults/campaign.ts';

const CAMPAIGN = new URL('../packages/testkit/faults/campaign.ts', import.meta.url);

/** Another one: `npm run faults -- --seed N`. */
const SEED = 8;
const SECONDS = 30;

testNeeding(NAMESPACES_MISSING, NOT_ROOT)(
  '[LIFE-1] [LIFE-7] [LIFE-8] [LIFE-9] forty sessions and thirty seconds of faults by chance: nothing is lost, nobody harmed (the long form is `npm run faults`)',
  async () => {
    const { tried, lost, sessions } = await inNamespace<CampaignReport>(CAMPAIGN, { seed: SEED, seconds: SECONDS });
    expect({ sessions, lost }).toEqual({ sessions: 40, lost: [] });
    const faults = Object.values(tried).reduce((sum, times) => sum + times, 0);
    expect(faults).toBeGreaterThanOrEqual(5);
  },
);
