import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageResponse, NoResponse } from 'messaging-gateway-client';
import { countParts, type AirRecord } from 'messaging-gateway-phone';
import { ApiError } from '../api-error';
import type { GatewayApi } from './gateway-api';
import { LiveLines } from './live-lines';
import { PhonePool } from './phone-pool';
import { recipients } from './recipients';
import { type CampaignBatch, type CampaignMessage, sendCampaign } from './send-campaign';
import type { ServiceAddress } from './service-address';
import { simTable, totalLine } from './sim-table';
import { countStatuses, statusLine } from './status-bar';
import { deliveryTimes } from './timeline';

export interface PoolDemo {
  readonly address: ServiceAddress;
  readonly api: GatewayApi;
  readonly phones: number;
  readonly count: number;
  readonly timeoutSeconds: number | undefined;
}

const SHORT = 'Hello from the messaging gateway';
const LONG = `${SHORT}: ${'this text has two parts. '.repeat(7).trimEnd()}`;
const REDRAW_EVERY_MS = 250;
const POLL_EVERY_MS = 1_000;
const ALLOWANCE_SECONDS = 60;

/** @returns false if a message was lost, doubled or not settled in time, or if the user stopped the demo. */
export async function runPoolDemo({
  address,
  api,
  phones,
  count,
  timeoutSeconds,
}: PoolDemo): Promise<boolean> {
  const stop = new AbortController();
  const abort = (): void => {
    stop.abort();
  };
  process.once('SIGINT', abort);
  const pool = await PhonePool.start(address, phones);
  try {
    const campaign = recipients(count).map((recipient, index) => ({
      recipient,
      message: index % 5 === 4 ? LONG : SHORT,
    }));
    const batches = await sendCampaign(api, pool.sims, campaign);
    console.log(`sending ${count} messages by ${pool.sims.length} SIMs of ${phones} virtual phones`);
    const deadline =
      Date.now() + (timeoutSeconds ?? expectedSeconds(pool, campaign) * 2 + ALLOWANCE_SECONDS) * 1000;
    const messages = await follow(api, pool, batches, { campaign, deadline, stop: stop.signal });
    return report(messages, pool, count);
  } finally {
    process.removeListener('SIGINT', abort);
    await pool.stop();
  }
}

function expectedSeconds(pool: PhonePool, campaign: readonly CampaignMessage[]): number {
  const perSecond = pool.sims.reduce((sum, sim) => sum + 1 / sim.secondsPerPart, 0);
  return partsOf(campaign) / perSecond;
}

const partsOf = (campaign: readonly CampaignMessage[]): number =>
  campaign.reduce((sum, { message }) => sum + countParts(message), 0);

async function follow(
  api: GatewayApi,
  pool: PhonePool,
  batches: readonly CampaignBatch[],
  { campaign, deadline, stop }: { campaign: readonly CampaignMessage[]; deadline: number; stop: AbortSignal },
): Promise<MessageResponse[]> {
  const display = new LiveLines(process.stdout);
  const totalParts = partsOf(campaign);
  let messages: MessageResponse[] = [];
  let polledAt = 0;
  for (;;) {
    const now = Date.now();
    const rows = pool.sims.map((sim) => sim.row(now));
    const attempted = rows.reduce((sum, row) => sum + row.attemptedParts, 0);
    blockOneSim(pool, attempted / totalParts);
    const lines = [...simTable(rows), totalLine(rows, totalParts, now)];
    if (now - polledAt >= POLL_EVERY_MS) {
      polledAt = now;
      messages = (await readThroughOutage(api, batches)) ?? messages;
    }
    const isSettled = messages.length === campaign.length && messages.every(isFinal);
    if (isSettled || now >= deadline || stop.aborted) {
      display.finish(lines);
      return messages;
    }
    display.show(lines, now);
    await sleep(REDRAW_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** The carrier blocks the last SIM during the second third of the campaign. @param progress 0 to 1. */
function blockOneSim({ sims }: PhonePool, progress: number): void {
  const carrier = sims.at(-1)?.carrier;
  if (carrier) carrier.block = progress >= 1 / 3 && progress < 2 / 3 ? 'fail' : undefined;
}

const isFinal = ({ status }: MessageResponse): boolean => status === 'delivered' || status === 'failed';

/** @returns undefined if the service does not respond. */
async function readThroughOutage(
  api: GatewayApi,
  batches: readonly CampaignBatch[],
): Promise<MessageResponse[] | undefined> {
  try {
    const lists = await Promise.all(batches.map(({ deviceId, id }) => api.batchMessages(deviceId, id)));
    return lists.flatMap((list) => list ?? []);
  } catch (error) {
    if (error instanceof NoResponse || (error instanceof ApiError && !error.isPermanent)) return undefined;
    throw error;
  }
}

function report(messages: readonly MessageResponse[], pool: PhonePool, count: number): boolean {
  const records = pool.phones.flatMap((phone) => phone.airLog);
  const { doubled, lost } = checkAir(records, messages);
  const open = count - messages.filter(isFinal).length;
  console.log(`${messages.length} messages: ${statusLine(countStatuses(messages))}`);
  const times = deliveryTimes(messages);
  if (times !== undefined) console.log(times);
  console.log(`on the air twice: ${doubled}, reported but not on the air: ${lost}, not settled: ${open}`);
  return doubled + lost + open === 0;
}

/** Compares the service with what went on the air. */
export function checkAir(
  records: readonly Pick<AirRecord, 'smsId' | 'partTimes'>[],
  messages: readonly Pick<MessageResponse, '_id' | 'status'>[],
): { readonly doubled: number; readonly lost: number } {
  const sent = records.filter(({ partTimes }) => partTimes.length > 0).map(({ smsId }) => smsId);
  const onAir = new Set(sent);
  const isLost = ({ _id, status }: Pick<MessageResponse, '_id' | 'status'>) =>
    (status === 'sent' || status === 'delivered') && !onAir.has(_id);
  return { doubled: sent.length - onAir.size, lost: messages.filter(isLost).length };
}
