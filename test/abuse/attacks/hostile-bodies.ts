import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Attack, AttackStage, Finding } from '../attack';
import { LoopbackClient, median, percentile } from '../loopback-client';
import type { FloodReport } from './body-flood';

const ATTACKER = '127.0.0.3';
const TENANT = '127.0.0.2';
const BODIES_PER_SECOND = 200;
const READS_PER_SECOND = 50;

/** The share of the wanted rate that must be reached for the result to mean something. */
const MIN_RATE_SHARE = 0.5;
const MAX_SLOWDOWN = 2;

/** Bodies that are deep, wide, compressed or slow, without a key, from one address, on a public route. */
export const hostileBodies: Attack = {
  name: 'hostile-bodies',
  roles: ['api'],
  async run(stage: AttackStage): Promise<Finding[]> {
    const [pairs, seconds] = stage.isShort ? [3, 2] : [6, 5];
    const tenant = new LoopbackClient(stage.apiUrl, stage.apiKey, TENANT);
    const read = (length: number) => tenant.readSteadily('/api/v1/gateway/stats', length, READS_PER_SECOND);
    await read(2); // compiled code, open connections
    const p99: Record<'quiet' | 'attacked', number[]> = { quiet: [], attacked: [] };
    const reports: FloodReport[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      p99.quiet.push(percentile(await read(seconds), 0.99));
      const flood = fork(join(__dirname, 'body-flood.ts'), [
        stage.apiUrl,
        ATTACKER,
        String(BODIES_PER_SECOND),
        String(seconds + 1),
      ]);
      const report = once(flood, 'message') as Promise<[FloodReport]>;
      const exit = once(flood, 'exit');
      const started = await report;
      if (started[0].sent !== 0) throw new Error('The flood did not start');
      const ended = once(flood, 'message') as Promise<[FloodReport]>;
      p99.attacked.push(percentile(await read(seconds), 0.99));
      reports.push((await ended)[0]);
      await exit;
      stage.say(`${pair + 1} of ${pairs}: ${JSON.stringify(reports.at(-1))}`);
    }
    tenant.close();
    return [findingOf(p99, reports)];
  },
};

function findingOf(
  p99: Record<'quiet' | 'attacked', readonly number[]>,
  reports: readonly FloodReport[],
): Finding {
  const rate = median(reports.map(({ sent, seconds }) => sent / seconds));
  const answers: Record<string, number> = {};
  for (const report of reports)
    for (const [status, count] of Object.entries(report.answers))
      answers[status] = (answers[status] ?? 0) + count;
  const quiet = median(p99.quiet);
  const attacked = median(p99.attacked);
  const wanted = `${rate.toFixed(0)} of ${BODIES_PER_SECOND} bodies/s`;
  return {
    attack: 'hostile-bodies',
    cost: `${wanted} from ${ATTACKER}, answered ${JSON.stringify(answers)}`,
    effect: `p99 of stats ${quiet.toFixed(1)} -> ${attacked.toFixed(1)} ms`,
    bound: `p99 within ${MAX_SLOWDOWN} times, at ${MIN_RATE_SHARE * 100} % of the rate or more`,
    isHeld: attacked <= quiet * MAX_SLOWDOWN && rate >= BODIES_PER_SECOND * MIN_RATE_SHARE,
  };
}
