import type { SeededRandom } from './seeded-random';
import type { SentSms } from './evidence';
import type { ChaosFcm } from './chaos-fcm';
import { type ChaosPhone, FcmPhone, type PhoneSettings, StreamPhone } from './phones';
import type { PlannedPhone } from './work-plan';

export const PHONES: readonly PlannedPhone[] = [
  ...Array.from({ length: 8 }, (_, number) => ({
    transport: 'stream' as const,
    sendDelaySeconds: number % 4 === 3 ? 1 : 0,
  })),
  ...Array.from({ length: 4 }, () => ({ transport: 'fcm' as const, sendDelaySeconds: 0 })),
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
    for (const [number, { transport, sendDelaySeconds }] of PHONES.entries()) {
      const phoneSettings = {
        ...settings,
        name: `phone-${number}`,
        sendDelaySeconds,
        seed: seed + number,
        onRefusedReport: (smsId: string, status: string) => void this.refusedReports.push({ smsId, status }),
      };
      if (transport === 'stream') {
        const phone = await StreamPhone.start(phoneSettings);
        this.streams.push(phone);
        this.phones.push(phone);
      } else {
        const token = `fcm-token-${number}`;
        const phone = await FcmPhone.register(phoneSettings, token, random.branch(token));
        fcm.deliverTo(token, phone);
        this.phones.push(phone);
      }
    }
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
