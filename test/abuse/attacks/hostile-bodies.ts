import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Attack, AttackContext, Finding } from '../attack';
import { median } from '../loopback-client';
import { measureSlowdown, type Slowdown, formatBound, windowSeconds } from '../slowdown';
import type { FloodReport } from './body-flood';

const ATTACKER_ADDRESS = '127.0.0.3';
const BODIES_PER_SECOND = 200;

/** The share of the target rate below which the result is invalid. */
const MIN_RATE_SHARE = 0.5;
const MAX_SLOWDOWN = 2;

/** Deep, wide, compressed and slow bodies to a public route, without a key, from one address. */
export const hostileBodies: Attack = {
  name: 'hostile-bodies',
  roles: ['api'],
  async run(context: AttackContext): Promise<Finding[]> {
    const reports: FloodReport[] = [];
    const slowdown = await measureSlowdown(context, MAX_SLOWDOWN, async () => {
      const seconds = windowSeconds(context.isShort) + 0.5;
      const args = [context.apiUrl, ATTACKER_ADDRESS, String(BODIES_PER_SECOND), String(seconds)];
      const flood = fork(join(__dirname, 'body-flood.ts'), args);
      const exit = once(flood, 'exit');
      const [started] = (await once(flood, 'message')) as [FloodReport];
      if (started.sent !== 0) throw new Error('The flood did not start');
      const ended = once(flood, 'message') as Promise<[FloodReport]>;
      return {
        stop: async () => {
          const [report] = await ended;
          reports.push(report);
          await exit;
          context.log(JSON.stringify(report));
        },
      };
    });
    return [toFinding(slowdown, reports)];
  },
};

function toFinding(slowdown: Slowdown, reports: readonly FloodReport[]): Finding {
  const rate = median(reports.map(({ sent, seconds }) => sent / seconds));
  const statusCounts: Record<string, number> = {};
  for (const report of reports)
    for (const [status, count] of Object.entries(report.statusCounts))
      statusCounts[status] = (statusCounts[status] ?? 0) + count;
  const rateText = `${rate.toFixed(0)} of ${BODIES_PER_SECOND} bodies/s`;
  return {
    attack: 'hostile-bodies',
    cost: `${rateText} from ${ATTACKER_ADDRESS}, responses ${JSON.stringify(statusCounts)}`,
    effect: slowdown.text,
    bound: `${formatBound(MAX_SLOWDOWN)}, at ${MIN_RATE_SHARE * 100} % or more of the rate`,
    passed: slowdown.isWithinBound && rate >= BODIES_PER_SECOND * MIN_RATE_SHARE,
  };
}
