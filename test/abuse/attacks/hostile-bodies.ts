import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Attack, AttackStage, Finding } from '../attack';
import { median } from '../loopback-client';
import { measureSlowdown, type Slowdown, slowdownBound, windowSeconds } from '../windows';
import type { FloodReport } from './body-flood';

const ATTACKER = '127.0.0.3';
const BODIES_PER_SECOND = 200;

/** The share of the wanted rate that must be reached for the result to mean something. */
const MIN_RATE_SHARE = 0.5;
const MAX_SLOWDOWN = 2;

/** Bodies that are deep, wide, compressed or slow, without a key, from one address, on a public route. */
export const hostileBodies: Attack = {
  name: 'hostile-bodies',
  roles: ['api'],
  async run(stage: AttackStage): Promise<Finding[]> {
    const reports: FloodReport[] = [];
    const slowdown = await measureSlowdown(stage, MAX_SLOWDOWN, async () => {
      const seconds = windowSeconds(stage.isShort) + 0.5;
      const args = [stage.apiUrl, ATTACKER, String(BODIES_PER_SECOND), String(seconds)];
      const flood = fork(join(__dirname, 'body-flood.ts'), args);
      const exit = once(flood, 'exit');
      const [started] = (await once(flood, 'message')) as [FloodReport];
      if (started.sent !== 0) throw new Error('The flood did not start');
      const ended = once(flood, 'message') as Promise<[FloodReport]>;
      return {
        end: async () => {
          const [report] = await ended;
          reports.push(report);
          await exit;
          stage.say(JSON.stringify(report));
        },
      };
    });
    return [findingOf(slowdown, reports)];
  },
};

function findingOf(slowdown: Slowdown, reports: readonly FloodReport[]): Finding {
  const rate = median(reports.map(({ sent, seconds }) => sent / seconds));
  const answers: Record<string, number> = {};
  for (const report of reports)
    for (const [status, count] of Object.entries(report.answers))
      answers[status] = (answers[status] ?? 0) + count;
  const wanted = `${rate.toFixed(0)} of ${BODIES_PER_SECOND} bodies/s`;
  return {
    attack: 'hostile-bodies',
    cost: `${wanted} from ${ATTACKER}, answered ${JSON.stringify(answers)}`,
    effect: slowdown.text,
    bound: `${slowdownBound(MAX_SLOWDOWN)}, at ${MIN_RATE_SHARE * 100} % of the rate or more`,
    isHeld: slowdown.isHeld && rate >= BODIES_PER_SECOND * MIN_RATE_SHARE,
  };
}
