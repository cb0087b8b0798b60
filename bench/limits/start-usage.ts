import { periodOf, type UsagePeriod } from '../../src/billing/usage/usage-period';
import type { LimitRoom } from './limit';

/** Creates the plan usage of the owner. @returns its period. */
export async function startUsage({ own, user }: LimitRoom): Promise<UsagePeriod> {
  const period = periodOf(new Date());
  await own.usages.insertOne({
    _id: user,
    ...period,
    dayCount: 0,
    monthCount: 0,
    reserved: [],
    returned: [],
  });
  return period;
}
