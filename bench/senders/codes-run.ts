import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../test/load/statistics';
import { eventually } from '../../test/support/eventually';
import { campaignOf } from './campaign';
import { SenderPool } from './sender-pool';
import type { Service } from './service';

const SIMS = 20;
/** What Android allows, and what fast modems send. */
const PACES = [24, 600];
const CODES = 50;
/** Not measured: a process that was just started is slower. */
const WARM_UP_CODES = 10;
const CODE_INTERVAL_MS = 1_000;
/** The campaign is under way on every SIM before the first code. */
const LEAD_MS = 5_000;
const TIMEOUT_MS = 60_000;

export interface CodesResult {
  readonly partsPerMinute: number;
  readonly codes: number;
  readonly sims: number;
  /** From the request to the air, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Messages of the campaign that were on the air when the first and the last code were sent. */
  readonly campaignAtFirst: number;
  readonly campaignAtLast: number;
  readonly messages: number;
}

/** Sends urgent codes, one a second, to pools of which every SIM works at a campaign. */
export async function runCodes(service: Service, messages: number, log: (text: string) => void) {
  const paces: CodesResult[] = [];
  for (const partsPerMinute of PACES) paces.push(await measure(service, messages, partsPerMinute, log));
  return { paces };
}

async function measure(
  service: Service,
  messages: number,
  partsPerMinute: number,
  log: (text: string) => void,
): Promise<CodesResult> {
  const pool = await SenderPool.start(service, {
    name: `codes-${partsPerMinute}`,
    sims: SIMS,
    partsPerMinute: () => partsPerMinute,
    airTimeShare: 0,
  });
  try {
    await service.call('POST', 'send-bulk-sms', campaignOf(pool.id, messages));
    await sleep(LEAD_MS);
    let campaignAtFirst = 0;
    const startedAt = Date.now();
    const sending: Promise<number>[] = [];
    for (let code = 0; code < WARM_UP_CODES + CODES; code++) {
      if (code === WARM_UP_CODES) campaignAtFirst = pool.events.length - code;
      await sleep(Math.max(0, startedAt + code * CODE_INTERVAL_MS - Date.now()));
      sending.push(timeToAir(service, pool, `+447700900${String(100 + code)}`));
    }
    const times = (await Promise.all(sending)).slice(WARM_UP_CODES);
    log(`codes at ${partsPerMinute} parts a minute: ${times.join(', ')} ms`);
    const campaignAtLast = pool.events.length - WARM_UP_CODES - CODES;
    if (campaignAtLast >= messages) throw new Error('The campaign ended before the last code');
    return {
      partsPerMinute,
      codes: CODES,
      sims: SIMS,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      slowest: Math.max(...times),
      campaignAtFirst,
      campaignAtLast,
      messages,
    };
  } finally {
    await pool.stop();
  }
}

async function timeToAir(service: Service, pool: SenderPool, recipient: string): Promise<number> {
  const sentAt = Date.now();
  await service.call('POST', 'send-sms', {
    poolId: pool.id,
    message: 'Your code is 471108',
    recipients: [recipient],
    priority: 'urgent',
  });
  const event = await eventually(
    () => pool.events.find((each) => each.recipient === recipient),
    (found) => found !== undefined,
    TIMEOUT_MS,
  );
  return (event?.firstAt ?? Infinity) - sentAt;
}
