import { eventually } from '../../test/support/eventually';
import { campaignOf } from './campaign';
import { forecastCurve, forecastError, largestGap, measuredCurve, type SimShare } from './figures';
import { drawTimePlot } from './plot';
import { SenderPool } from './sender-pool';
import type { Service } from './service';

const SIMS = 20;
const MIN_PARTS_PER_MINUTE = 600;
/** The service takes no higher limit. */
const MAX_PARTS_PER_MINUTE = 1_000;
/** The radio of a SIM is somewhat faster than its limit. */
const AIR_TIME_SHARE = 0.9;
const TIMEOUT_FACTOR = 3;

interface Estimate {
  readonly messages: number;
  readonly parts: number;
  readonly estimatedCompletionAt: string;
  readonly sims: readonly SimShare[];
}

export interface ForecastResult {
  readonly messages: number;
  readonly parts: number;
  readonly sims: number;
  /** From the request to the forecast that the accepted send has. */
  readonly forecastSeconds: number;
  /** From the request to the last message on the air. */
  readonly actualSeconds: number;
  /** Share of the forecast; positive: later. */
  readonly error: number;
  /** Largest difference of the curves at any time, as a share of the messages. */
  readonly largestGap: number;
  readonly picture: string;
}

/** Sends a campaign to a pool of SIMs with different limits, and compares the forecast with what went on the air. */
export async function runForecast(
  service: Service,
  messages: number,
  log: (text: string) => void,
): Promise<ForecastResult> {
  const pool = await SenderPool.start(service, {
    name: 'forecast',
    sims: SIMS,
    partsPerMinute: partsPerMinuteOf,
    airTimeShare: AIR_TIME_SHARE,
  });
  try {
    const campaign = campaignOf(pool.id, messages);
    const estimate = await service.call<Estimate>('POST', 'estimates', campaign);
    const startedAt = Date.now();
    const accepted = await service.call<{ estimatedCompletionAt: string }>('POST', 'send-bulk-sms', campaign);
    const forecastAt = Date.parse(accepted.estimatedCompletionAt);
    log(
      `forecast: accepted in ${Date.now() - startedAt} ms, to be done in ${seconds(forecastAt - startedAt)} s`,
    );
    await eventually(
      () => new Set(pool.events.map(({ recipient }) => recipient)).size,
      (sent) => sent >= messages,
      (forecastAt - startedAt) * TIMEOUT_FACTOR,
    );
    const times = pool.events.map(({ lastAt }) => lastAt);
    const endedAt = Math.max(...times);
    const byForecast = forecastCurve(estimate.sims, startedAt);
    const measured = measuredCurve(times, startedAt);
    return {
      messages,
      parts: estimate.parts,
      sims: pool.sims.length,
      forecastSeconds: seconds(forecastAt - startedAt),
      actualSeconds: seconds(endedAt - startedAt),
      error: forecastError(startedAt, forecastAt, endedAt),
      largestGap: largestGap(byForecast, measured) / messages,
      picture: drawTimePlot({
        title: 'A campaign to a pool: forecast and measured',
        subtitle: `${messages.toLocaleString('en')} messages of ${estimate.parts.toLocaleString('en')} parts by ${SIMS} SIMs of ${MIN_PARTS_PER_MINUTE} to ${MAX_PARTS_PER_MINUTE.toLocaleString('en')} parts a minute; messages on the air`,
        curves: [
          { name: 'measured', points: measured },
          { name: 'forecast', points: byForecast, isDashed: true },
        ],
      }),
    };
  } finally {
    await pool.stop();
  }
}

function partsPerMinuteOf(index: number): number {
  const share = index / (SIMS - 1);
  return Math.round(MIN_PARTS_PER_MINUTE + share * (MAX_PARTS_PER_MINUTE - MIN_PARTS_PER_MINUTE));
}

const seconds = (ms: number) => Math.round(ms / 100) / 10;
