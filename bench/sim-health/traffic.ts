import { seededRandom } from 'messaging-gateway-phone';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/common/durations';
import type { Outcome } from '../../src/devices/sims/health/sim-health';

/** The ordinary traffic of a SIM. Shares are between 0 and 1. */
export interface Traffic {
  readonly messagesPerDay: number;
  /** Messages that fail although the SIM and the number are fine, half of them in runs of two to six. */
  readonly failureRate: number;
  /** Messages whose delivery is reported. */
  readonly deliveryRate: number;
}

/** How a carrier blocks a SIM: messages fail, or are sent and not delivered. */
export type Block = 'failures' | 'silence';

const FIRST_HOUR = 7;
const LAST_HOUR = 22;

/** A campaign a week has this share of the week's messages. */
const CAMPAIGN_SHARE = 0.3;
const CAMPAIGN_HOUR = 10;
const CAMPAIGN_GAP_MS = 2_500;
/** A third each of the bad numbers fails, is reported as undelivered, and stays without a report. */
const BAD_NUMBERS = 0.3;

/** Sixty messages in an hour to a phone that is off, or thirty to a number that does not exist. */
const ALARMS_PER_YEAR = 30;

const GENERIC_FAILURE = '1';

/** The outcomes of a SIM, day by day, from a seed. */
export class TrafficGenerator {
  private readonly random: () => number;
  private remainingFailures = 0;

  constructor(
    private readonly traffic: Traffic,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  /** @param day days since 1970. @returns the outcomes of the messages of this day, in the order of their times. */
  day(day: number): Outcome[] {
    const { messagesPerDay } = this.traffic;
    const midnight = day * DAY_MS;
    const times = Array.from(
      { length: this.poisson(messagesPerDay * (1 - CAMPAIGN_SHARE)) },
      () => midnight + (FIRST_HOUR + this.random() * (LAST_HOUR - FIRST_HOUR)) * HOUR_MS,
    ).sort((a, b) => a - b);
    const outcomes = times.flatMap((time) => this.message(time));
    if (day % 7 === 0) {
      for (let sent = 0; sent < messagesPerDay * 7 * CAMPAIGN_SHARE; sent++) {
        const time = midnight + CAMPAIGN_HOUR * HOUR_MS + sent * CAMPAIGN_GAP_MS;
        outcomes.push(...(this.random() < BAD_NUMBERS ? this.badNumber(time) : this.message(time)));
      }
    }
    if (this.random() < ALARMS_PER_YEAR / 365) outcomes.push(...this.alarms(midnight));
    return outcomes.sort((a, b) => a.at.getTime() - b.at.getTime());
  }

  /** A message to an ordinary number. */
  message(time: number): Outcome[] {
    const recipient = this.recipient();
    if (this.fails()) return [failed(time, recipient)];
    if (this.random() >= this.traffic.deliveryRate) return [sent(time, recipient)];
    return [sent(time, recipient), delivered(time + this.deliveryDelayMs(), recipient)];
  }

  /** A message while the carrier blocks the SIM. */
  blockedMessage(time: number, block: Block): Outcome[] {
    const recipient = this.recipient();
    return [block === 'failures' ? failed(time, recipient) : sent(time, recipient)];
  }

  /** The time until the next message of an evenly busy day, in milliseconds. */
  gapMs(): number {
    const meanMs = ((LAST_HOUR - FIRST_HOUR) * HOUR_MS) / this.traffic.messagesPerDay;
    return -Math.log(1 - this.random()) * meanMs;
  }

  private badNumber(time: number): Outcome[] {
    const recipient = this.recipient();
    const fate = this.random() * 3;
    if (fate < 1) return [failed(time, recipient)];
    if (fate < 2) return [sent(time, recipient)];
    return [sent(time, recipient), { ...delivered(time + 5 * SECOND_MS, recipient), kind: 'undelivered' }];
  }

  private alarms(midnight: number): Outcome[] {
    const start = midnight + this.random() * 23 * HOUR_MS;
    return this.random() < 0.5
      ? Array.from({ length: 60 }, (_, minute) => sent(start + minute * MINUTE_MS, 'phone that is off'))
      : Array.from({ length: 30 }, (_, index) => failed(start + index * 2 * MINUTE_MS, 'unknown number'));
  }

  private fails(): boolean {
    if (this.remainingFailures > 0) {
      this.remainingFailures--;
      return true;
    }
    const { failureRate } = this.traffic;
    if (this.random() < failureRate / 2) return true;
    const meanRun = 4;
    if (this.random() >= failureRate / 2 / meanRun) return false;
    this.remainingFailures = 1 + Math.floor(this.random() * 5);
    return true;
  }

  /** Most within seconds; one in seven later than five minutes, until the phone is on again. */
  private deliveryDelayMs(): number {
    const kind = this.random();
    if (kind < 0.8) return 2 * SECOND_MS + this.random() * 20 * SECOND_MS;
    if (kind < 0.86) return this.random() * 5 * MINUTE_MS;
    return 5 * MINUTE_MS + this.random() * 12 * HOUR_MS;
  }

  private recipient(): string {
    return `recipient ${Math.floor(this.random() * this.traffic.messagesPerDay * 20)}`;
  }

  private poisson(mean: number): number {
    const deviation = Math.sqrt(mean) * Math.sqrt(-2 * Math.log(1 - this.random()));
    return Math.max(0, Math.round(mean + deviation * Math.cos(2 * Math.PI * this.random())));
  }
}

const sent = (time: number, recipient: string): Outcome => ({ kind: 'sent', at: new Date(time), recipient });
const delivered = (time: number, recipient: string): Outcome => ({
  kind: 'delivered',
  at: new Date(time),
  recipient,
});
const failed = (time: number, recipient: string): Outcome => ({
  kind: 'failed',
  at: new Date(time),
  recipient,
  code: GENERIC_FAILURE,
});
