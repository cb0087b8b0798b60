/** What a message costs while so many arrive: the more share a write, the less. */
export interface MessageCosts {
  /** Messages a second. */
  readonly rate: number;
  /** Milliseconds of a message. */
  readonly apiCpuMs: number;
  readonly workerCpuMs: number;
  readonly schedulerCpuMs: number;
  readonly databaseCpuMs: number;
}

export interface MeasuredCosts {
  /** By rising rate. */
  readonly messages: readonly MessageCosts[];
  /** Of a message that was sent and delivered, with its batch and the deliveries of its events. */
  readonly dataBytes: number;
  readonly indexBytes: number;
  /** Of a phone on a stream. */
  readonly kilobytesPerStream: number;
}

/** What an installation needs for so many messages a month. */
export interface Capacity {
  readonly messagesPerMonth: number;
  /** Messages a second in the busiest hour. */
  readonly peakRate: number;
  readonly phones: number;
  /** Cores, with the room that `UTILISATION` leaves. */
  readonly apiCores: number;
  readonly workerCores: number;
  readonly databaseCores: number;
  /** Of one API process for the streams of all phones. */
  readonly streamMegabytes: number;
  readonly diskGigabytes: number;
  /** Of the database, for its indexes of the last days. */
  readonly memoryGigabytes: number;
}

/** The share of a day's messages that comes in its busiest hour. */
export const PEAK_SHARE = 0.1;
/** The share of a core that is used in that hour; above, waiting times grow. */
export const UTILISATION = 0.6;
/** With Android's limit of 30 in half an hour raised. */
export const MESSAGES_PER_PHONE_MINUTE = 6;
export const RETENTION_DAYS = 90;
/** The indexes that must be in memory: lists and counts read the last days. */
export const HOT_DAYS = 7;

const DAYS_PER_MONTH = 30;
const HOUR_S = 3_600;
const GIGABYTE = 1e9;

/** @throws Error without costs. */
export function capacityFor(costs: MeasuredCosts, messagesPerMonth: number): Capacity {
  const perDay = messagesPerMonth / DAYS_PER_MONTH;
  const peakRate = (perDay * PEAK_SHARE) / HOUR_S;
  const ofMessage = costsAt(costs.messages, peakRate);
  const cores = (cpuMs: number) => (peakRate * cpuMs) / 1_000 / UTILISATION;
  const phones = Math.ceil((peakRate * 60) / MESSAGES_PER_PHONE_MINUTE);
  return {
    messagesPerMonth,
    peakRate,
    phones,
    apiCores: cores(ofMessage.apiCpuMs),
    workerCores: cores(ofMessage.workerCpuMs + ofMessage.schedulerCpuMs),
    databaseCores: cores(ofMessage.databaseCpuMs),
    streamMegabytes: (phones * costs.kilobytesPerStream) / 1_000,
    diskGigabytes: (perDay * RETENTION_DAYS * (costs.dataBytes + costs.indexBytes)) / GIGABYTE,
    memoryGigabytes: (perDay * HOT_DAYS * costs.indexBytes) / GIGABYTE,
  };
}

/** The costs at the highest measured rate that is not above: a higher one would be cheaper. */
function costsAt(costs: readonly MessageCosts[], rate: number): MessageCosts {
  const [first] = costs;
  if (!first) throw new Error('No costs were measured');
  return costs.findLast((each) => each.rate <= rate) ?? first;
}
