import type { Chance } from './chance';

/** Messages in one wave: small, so that a campaign of a minute or two has many. */
export const WAVE_SIZE = 20;

/** What the plan needs to know of a phone. */
export interface PlannedPhone {
  readonly transport: 'stream' | 'fcm';
  /** Seconds between two messages. One that waits is given campaigns only, which are paced to it. */
  readonly sendDelaySeconds: number;
}

/** How a client behaves that has sent: some give up early and ask again, some ask twice at once, some once more later. */
export type ClientManner = 'patient' | 'impatient' | 'twice at once' | 'again later';

/** A send, from the moment it is due repeated under its key until it is answered with a 2xx. */
export interface PlannedSend {
  readonly key: string;
  /** Milliseconds from the start. */
  readonly at: number;
  /** Index of the phone. */
  readonly phone: number;
  readonly route: 'send-sms' | 'send-bulk-sms';
  readonly text: string;
  /** No number occurs in two sends or twice in one. */
  readonly recipients: readonly string[];
  readonly manner: ClientManner;
}

export interface PlannedUpload {
  readonly at: number;
  readonly phone: number;
  readonly sender: string;
  readonly text: string;
  readonly isTwiceAtOnce: boolean;
}

export interface WorkPlan {
  readonly sends: readonly PlannedSend[];
  readonly uploads: readonly PlannedUpload[];
}

const SMALLEST_CAMPAIGN = 50;
const MAX_CAMPAIGN_SIZE = 300;
/** How long after the last kill a campaign may still run. */
const CAMPAIGN_OVERRUN_MS = 35_000;
const CAMPAIGN_SHARE = 0.45;
const BULK_SHARE = 0.2;
const UPLOADS_PER_MESSAGE = 0.15;

/** What is sent and received in a run: campaigns in waves, small bulks that go out at once, single messages. */
export function planWork(
  chance: Chance,
  phones: readonly PlannedPhone[],
  { messages, durationMs }: { messages: number; durationMs: number },
): WorkPlan {
  const sends: PlannedSend[] = [];
  let numbers = 0;
  const add = (phone: number, count: number, at: number): void => {
    const first = numbers;
    numbers += count;
    sends.push({
      key: `chaos-${sends.length}`,
      at,
      phone,
      route: count > 1 && chance.happens(0.5) ? 'send-bulk-sms' : 'send-sms',
      text: `Chaos ${sends.length}`,
      recipients: Array.from(
        { length: count },
        (_, index) => `+49151${String(first + index).padStart(8, '0')}`,
      ),
      manner: mannerBy(chance),
    });
  };

  // A phone sends one message a second of its campaigns, one campaign after the other.
  const freeAt = phones.map(() => 0);
  const latestEnd = durationMs + CAMPAIGN_OVERRUN_MS;
  const campaignMessages = messages * CAMPAIGN_SHARE;
  for (const phone of chance.shuffled([...phones.keys()])) {
    while (numbers < campaignMessages) {
      const at = Math.max(freeAt[phone] ?? 0, chance.between(0, durationMs * 0.3));
      const most = Math.min(MAX_CAMPAIGN_SIZE, Math.floor((latestEnd - at) / 1_000));
      if (most < SMALLEST_CAMPAIGN || at > durationMs) break;
      const count = chance.whole(SMALLEST_CAMPAIGN, most);
      freeAt[phone] = at + count * 1_000;
      add(phone, count, at);
    }
  }

  const quick = [...phones.keys()].filter((phone) => phones[phone]?.sendDelaySeconds === 0);
  const bulksUntil = numbers + messages * BULK_SHARE;
  while (numbers < bulksUntil) {
    add(chance.pick(quick), chance.whole(2, WAVE_SIZE), chance.between(0, durationMs));
  }
  while (numbers < messages) add(chance.pick(quick), 1, chance.between(0, durationMs));

  const uploads = Array.from({ length: Math.ceil(messages * UPLOADS_PER_MESSAGE) }, (_, number) => ({
    at: chance.between(0, durationMs),
    phone: chance.whole(0, phones.length - 1),
    sender: `+447700${String(number).padStart(6, '0')}`,
    text: `Incoming ${number}`,
    isTwiceAtOnce: chance.happens(0.2),
  }));
  return {
    sends: sends.sort((one, other) => one.at - other.at),
    uploads: uploads.sort((a, b) => a.at - b.at),
  };
}

function mannerBy(chance: Chance): ClientManner {
  if (chance.happens(0.7)) return 'patient';
  return chance.pick(['impatient', 'twice at once', 'again later']);
}
