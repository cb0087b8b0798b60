import type { SeededRandom } from './seeded-random';

/** Small, so that a campaign of a minute or two has many waves. */
export const WAVE_SIZE = 20;

export interface PlannedPhone {
  readonly transport: 'stream' | 'fcm';
  /** Seconds between two messages. A phone with a delay gets campaigns only, which are paced to it. */
  readonly sendDelaySeconds: number;
  /** It has faults by which sends to the phone itself would be lost, such as a lost push token. */
  readonly isPooledOnly?: boolean;
}

/** Indexes of a phone or a pool. */
export type PlannedTarget =
  | { readonly phone: number; readonly pool?: undefined }
  | { readonly pool: number; readonly phone?: undefined };

/** Impatient clients time out early and retry; others send twice concurrently or repeat later. */
export type ClientBehavior = 'patient' | 'impatient' | 'twice at once' | 'again later';

/** A send that is repeated with its key until a 2xx response. */
export interface PlannedSend {
  readonly key: string;
  /** Milliseconds since the start. */
  readonly at: number;
  readonly to: PlannedTarget;
  readonly route: 'send-sms' | 'send-bulk-sms';
  readonly text: string;
  /** Each number is used once in a run. */
  readonly recipients: readonly string[];
  readonly behavior: ClientBehavior;
}

export interface PlannedUpload {
  readonly at: number;
  readonly phone: number;
  readonly sender: string;
  readonly text: string;
  readonly isDuplicated: boolean;
}

export interface WorkPlan {
  readonly sends: readonly PlannedSend[];
  readonly uploads: readonly PlannedUpload[];
}

const MIN_CAMPAIGN_SIZE = 50;
const MAX_CAMPAIGN_SIZE = 300;
/** The maximum time of a campaign after the last kill. */
const CAMPAIGN_OVERRUN_MS = 35_000;
const CAMPAIGN_SHARE = 0.25;
const BULK_SHARE = 0.2;
/** Smaller, because the phones of pools send without a delay. */
const POOL_CAMPAIGN_SIZE = { least: 20, most: 60 } as const;
const POOL_CAMPAIGN_SHARE = 0.15;
/** Of the other sends. */
const POOL_SHARE = 0.3;
const UPLOADS_PER_MESSAGE = 0.15;

/**
 * Plans campaigns in waves, small bulk sends, single messages and uploads. About a third of the messages go to pools.
 * @param pools how many there are.
 */
export function planWork(
  random: SeededRandom,
  phones: readonly PlannedPhone[],
  pools: number,
  { messages, durationMs }: { messages: number; durationMs: number },
): WorkPlan {
  const sends: PlannedSend[] = [];
  let recipientCount = 0;
  const add = (to: PlannedTarget, count: number, at: number): void => {
    const first = recipientCount;
    recipientCount += count;
    sends.push({
      key: `chaos-${sends.length}`,
      at,
      to,
      route: count > 1 && random.happens(0.5) ? 'send-bulk-sms' : 'send-sms',
      text: `Chaos ${sends.length}`,
      recipients: Array.from(
        { length: count },
        (_, index) => `+49151${String(first + index).padStart(8, '0')}`,
      ),
      behavior: pickBehavior(random),
    });
  };

  // A phone sends its campaigns one after the other, one message a second.
  const freeAt = phones.map(() => 0);
  const latestEnd = durationMs + CAMPAIGN_OVERRUN_MS;
  const campaignMessages = messages * CAMPAIGN_SHARE;
  const ownPhones = [...phones.keys()].filter((phone) => !phones[phone]?.isPooledOnly);
  for (const phone of random.shuffle(ownPhones)) {
    while (recipientCount < campaignMessages) {
      const at = Math.max(freeAt[phone] ?? 0, random.between(0, durationMs * 0.3));
      const maxSize = Math.min(MAX_CAMPAIGN_SIZE, Math.floor((latestEnd - at) / 1_000));
      if (maxSize < MIN_CAMPAIGN_SIZE || at > durationMs) break;
      const count = random.integer(MIN_CAMPAIGN_SIZE, maxSize);
      freeAt[phone] = at + count * 1_000;
      add({ phone }, count, at);
    }
  }
  const poolCampaignLimit = recipientCount + messages * POOL_CAMPAIGN_SHARE;
  for (let pool = 0; recipientCount < poolCampaignLimit; pool = (pool + 1) % pools) {
    const count = random.integer(POOL_CAMPAIGN_SIZE.least, POOL_CAMPAIGN_SIZE.most);
    add({ pool }, count, random.between(0, durationMs * 0.8));
  }

  const undelayedPhones = ownPhones.filter((phone) => phones[phone]?.sendDelaySeconds === 0);
  const pickTarget = (): PlannedTarget =>
    random.happens(POOL_SHARE)
      ? { pool: random.integer(0, pools - 1) }
      : { phone: random.pick(undelayedPhones) };
  const bulkLimit = recipientCount + messages * BULK_SHARE;
  while (recipientCount < bulkLimit) {
    add(pickTarget(), random.integer(2, WAVE_SIZE), random.between(0, durationMs));
  }
  while (recipientCount < messages) add(pickTarget(), 1, random.between(0, durationMs));

  const uploads = Array.from({ length: Math.ceil(messages * UPLOADS_PER_MESSAGE) }, (_, number) => ({
    at: random.between(0, durationMs),
    phone: random.integer(0, phones.length - 1),
    sender: `+447700${String(number).padStart(6, '0')}`,
    text: `Incoming ${number}`,
    isDuplicated: random.happens(0.2),
  }));
  return {
    sends: sends.sort((one, other) => one.at - other.at),
    uploads: uploads.sort((a, b) => a.at - b.at),
  };
}

function pickBehavior(random: SeededRandom): ClientBehavior {
  if (random.happens(0.7)) return 'patient';
  return random.pick(['impatient', 'twice at once', 'again later']);
}
