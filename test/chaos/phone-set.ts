import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random';
import type { SentSms } from './evidence';
import type { ChaosFcm } from './chaos-fcm';
import type { FcmPhoneFault, PlannedPhoneFault, StreamPhoneFault } from './phone-fault-plan';
import { type ChaosPhone, FcmPhone, type PhoneSettings, StreamPhone } from './phones';
import type { PlannedPhone } from './work-plan';

interface FaultyPhone extends PlannedPhone {
  readonly faults?: readonly PlannedPhoneFault['fault'][];
  readonly lies?: boolean;
}

const stream = (...faults: StreamPhoneFault[]): FaultyPhone => ({
  transport: 'stream',
  sendDelaySeconds: 0,
  faults,
});
const fcm = (...faults: FcmPhoneFault[]): FaultyPhone => ({ transport: 'fcm', sendDelaySeconds: 0, faults });
const delayed: FaultyPhone = { transport: 'stream', sendDelaySeconds: 1 };

/** Each pool with a stream has one that always has service, so that its messages do not wait for a SIM to become healthy. */
export const PHONES: readonly FaultyPhone[] = [
  stream('crashes'),
  stream('no service', 'crashes'),
  stream('radio off', 'answers late'),
  delayed,
  stream('crashes', 'answers late'),
  stream(),
  stream(),
  delayed,
  fcm(),
  fcm(),
  { ...fcm('push token lost'), lies: true, isPooledOnly: true },
  { ...fcm('push token lost', 'push service unavailable'), lies: true, isPooledOnly: true },
];

/** All phones of a run, in the order of `PHONES`. */
export class PhoneSet {
  readonly streams: StreamPhone[] = [];
  /** Reports that the service answered with 404. */
  readonly refusedReports: { smsId: string; status: string }[] = [];
  private readonly phones: ChaosPhone[] = [];

  /** Starts the phones one after the other. */
  async start(
    settings: Pick<PhoneSettings, 'baseUrl' | 'apiKey' | 'onError'>,
    { fcm, chance: random, seed }: { fcm: ChaosFcm; chance: SeededRandom; seed: number },
  ): Promise<void> {
    for (const [number, planned] of PHONES.entries()) {
      const { sendDelaySeconds } = planned;
      const phoneSettings = {
        ...settings,
        name: `phone-${number}`,
        sendDelaySeconds,
        seed: seed + number,
        onRefusedReport: (smsId: string, status: string) => void this.refusedReports.push({ smsId, status }),
      };
      if (planned.transport === 'stream') {
        const phone = await StreamPhone.start(phoneSettings);
        this.streams.push(phone);
        this.phones.push(phone);
      } else {
        const token = `fcm-token-${number}`;
        const { lies = false } = planned;
        const phone = await FcmPhone.register({ ...phoneSettings, lies }, token, random.branch(token));
        fcm.deliverTo(phone);
        this.phones.push(phone);
      }
    }
  }

  /** Gives phones their faults, and takes them away again. */
  async suffer(plan: readonly PlannedPhoneFault[]): Promise<void> {
    const start = performance.now();
    await Promise.all(
      plan.map(async ({ at, phone, fault, forMs }) => {
        await sleep(Math.max(0, start + at - performance.now()));
        await this.phones[phone]?.suffer(fault, forMs);
      }),
    );
  }

  at(index: number): ChaosPhone | undefined {
    return this.phones[index];
  }

  /** A message whose delivery was reported after its removal is only known as sent. */
  sentSms(): SentSms[] {
    const isLate = (id: string) =>
      this.refusedReports.some(({ smsId, status }) => smsId === id && status.toUpperCase() === 'DELIVERED');
    return this.phones
      .flatMap((phone) => phone.sentSms())
      .map((sms) => (sms.fate === 'delivered' && isLate(sms.smsId) ? { ...sms, fate: 'sent' } : sms));
  }

  /** The push transport of each device by id. */
  transports(): Map<string, string> {
    return new Map(this.phones.map(({ device, transport }) => [device, transport]));
  }

  async areIdle(): Promise<boolean> {
    const idle = await Promise.all(this.phones.map((phone) => phone.isIdle()));
    return idle.every(Boolean);
  }

  async stop(): Promise<void> {
    for (const phone of this.phones) await phone.stop();
  }
}
