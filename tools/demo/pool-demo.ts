import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountSimResponse, type MessageResponse, NoResponse } from 'messaging-gateway-client';
import { countParts, type AirRecord } from 'messaging-gateway-phone';
import { ApiError } from '../api-error';
import type { GatewayApi } from './gateway-api';
import { LiveLines } from './live-lines';
import { PhonePool, type PoolSim } from './phone-pool';
import { recipients } from './recipients';
import { type Campaign, type CampaignMessage, sendCampaign } from './send-campaign';
import type { ServiceAddress } from './service-address';
import { simTable, totalLine, type SimRow } from './sim-table';
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
/** Share of the campaign after which the carrier blocks a SIM. */
const BLOCKED_AFTER = 1 / 3;

/** The block of a SIM, with times in epoch milliseconds. */
interface Block {
  readonly sim: PoolSim;
  readonly at: number;
  /** The messages that waited for it then. */
  readonly waiting: readonly string[];
  openedAt?: number;
}

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
  console.log(`starting ${phones} virtual phones of two SIMs each`);
  const pool = await PhonePool.start(address, api, phones);
  try {
    const messages = recipients(count).map((recipient, index) => ({
      recipient,
      message: index % 5 === 4 ? LONG : SHORT,
    }));
    const campaign = await sendCampaign(api, pool.id, messages);
    console.log(
      `sending ${count} messages by ${pool.sims.length} SIMs of ${phones} virtual phones, a pool of the service`,
    );
    const deadline =
      Date.now() + (timeoutSeconds ?? expectedSeconds(pool, messages) * 2 + ALLOWANCE_SECONDS) * 1000;
    const follower = new CampaignFollower(api, pool, campaign, count);
    const settled = await follower.follow(deadline, stop.signal);
    console.log(follower.forecastLine());
    const block = follower.blockLine();
    if (block !== undefined) console.log(block);
    return report(settled, pool, count);
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

/** Shows a campaign while it is sent, and blocks one of its SIMs. */
class CampaignFollower {
  private readonly display = new LiveLines(process.stdout);
  private messages: MessageResponse[] = [];
  private stored: AccountSimResponse[] = [];
  private block: Block | undefined;

  constructor(
    private readonly api: GatewayApi,
    private readonly pool: PhonePool,
    private readonly campaign: Campaign,
    private readonly count: number,
  ) {}

  /** @returns the messages when all have a final status, at the deadline, or when the user stops the demo. */
  async follow(deadline: number, stop: AbortSignal): Promise<MessageResponse[]> {
    let polledAt = 0;
    for (;;) {
      const now = Date.now();
      if (now - polledAt >= POLL_EVERY_MS) {
        polledAt = now;
        await this.poll();
      }
      const rows = this.rows(now);
      this.blockFastestSim(
        rows.reduce((sum, { sent, failed }) => sum + sent + failed, 0),
        now,
      );
      const lines = [...simTable(rows), totalLine(rows, this.count, this.campaign, now)];
      const isSettled = this.messages.length === this.count && this.messages.every(isFinal);
      if (isSettled || now >= deadline || stop.aborted) {
        this.display.finish(lines);
        return this.messages;
      }
      this.display.show(lines, now);
      await sleep(REDRAW_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  forecastLine(): string {
    const { sentAt, forecastAt } = this.campaign;
    const lastAt = Math.max(sentAt, ...this.pool.sims.map((sim) => sim.lastAt));
    return `forecast: ${seconds(forecastAt - sentAt)}; the last message was on the air after ${seconds(lastAt - sentAt)}`;
  }

  /** What the breaker of the blocked SIM did; undefined without a block. */
  blockLine(): string | undefined {
    if (!this.block) return undefined;
    const { sim, at, openedAt } = this.block;
    const failed = failuresOf(this.block);
    const blocked = `the carrier blocked ${sim.label} after ${seconds(at - this.campaign.sentAt)}`;
    return openedAt === undefined
      ? `${blocked}; its breaker stayed closed for ${failed} failed messages`
      : `${blocked}; its breaker opened ${seconds(openedAt - at)} and ${failed} failed messages later, and other SIMs took ${this.movedCount(this.block)} messages that waited for it`;
  }

  private rows(now: number): SimRow[] {
    const storedOf = new Map(this.stored.map((stored) => [this.pool.sim(stored._id), stored]));
    return this.pool.sims.map((sim) => {
      const stored = storedOf.get(sim);
      return {
        ...sim.row(now),
        waiting: this.waitingFor(sim).length,
        breaker: stored?.health.state ?? 'closed',
      };
    });
  }

  private blockFastestSim(attempted: number, now: number): void {
    if (this.block || attempted < this.count * BLOCKED_AFTER) return;
    const sim = this.pool.sims.reduce((fastest, each) =>
      each.secondsPerPart < fastest.secondsPerPart ? each : fastest,
    );
    const waiting = this.waitingFor(sim).map(({ _id }) => _id);
    sim.carrier.block = 'fail';
    this.block = { sim, at: now, waiting };
    this.note(now, `the carrier blocks ${sim.label}; ${waiting.length} messages wait for it`);
  }

  private waitingFor(sim: PoolSim): MessageResponse[] {
    const isWaiting = ({ status }: MessageResponse) => status === 'pending' || status === 'dispatched';
    return this.messages.filter((message) => isWaiting(message) && this.isBy(sim, message));
  }

  private isBy(sim: PoolSim, message: MessageResponse): boolean {
    return message.sim !== undefined && this.pool.sim(message.sim) === sim;
  }

  /** How many of the messages that waited for a blocked SIM others have sent. */
  private movedCount({ sim, waiting }: Block): number {
    return this.messages.filter(
      (message) => waiting.includes(message._id) && isOnAir(message) && !this.isBy(sim, message),
    ).length;
  }

  private note(at: number, text: string): void {
    this.display.note(`${seconds(at - this.campaign.sentAt)}: ${text}`);
  }

  /** What the service does not respond to stays as it was. */
  private async poll(): Promise<void> {
    try {
      this.messages = await this.readMessages();
      this.stored = await this.api.sims();
    } catch (error) {
      if (error instanceof NoResponse || (error instanceof ApiError && !error.isPermanent)) return;
      throw error;
    }
    const { block } = this;
    const opened = this.stored.find(
      ({ _id, health }) => block && this.pool.sim(_id) === block.sim && health.state === 'open',
    );
    if (!block || block.openedAt !== undefined || opened?.health.since === undefined) return;
    block.openedAt = Date.parse(opened.health.since);
    const failed = failuresOf(block);
    this.note(
      block.openedAt,
      `the breaker of ${block.sim.label} opens after ${failed} failed messages; its messages move to other SIMs`,
    );
  }

  /** A batch is found under each phone that has a message of it. */
  private async readMessages(): Promise<MessageResponse[]> {
    for (const { deviceId } of this.pool.phones) {
      const messages = await this.api.batchMessages(deviceId, this.campaign.batchId);
      if (messages) return messages;
    }
    return [];
  }
}

const isOnAir = ({ status }: MessageResponse): boolean => status === 'sent' || status === 'delivered';

const isFinal = ({ status }: MessageResponse): boolean => status === 'delivered' || status === 'failed';

/** Messages that a blocked SIM failed until its breaker opened. */
const failuresOf = ({ sim, at, openedAt = Infinity }: Block): number =>
  sim.failureTimes.filter((time) => time >= at && time <= openedAt).length;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

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
