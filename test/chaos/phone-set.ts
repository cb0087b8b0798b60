import type { Chance } from './chance';
import type { Airing } from './evidence';
import type { FcmStandIn } from './fcm-stand-in';
import { type ChaosPhone, FcmPhone, type PhoneSettings, StreamPhone } from './phones';
import type { PlannedPhone } from './work-plan';

/** Two of the stream phones wait a second between messages. */
export const PHONES: readonly PlannedPhone[] = [
  ...Array.from({ length: 8 }, (_, number) => ({
    transport: 'stream' as const,
    sendDelaySeconds: number % 4 === 3 ? 1 : 0,
  })),
  ...Array.from({ length: 4 }, () => ({ transport: 'fcm' as const, sendDelaySeconds: 0 })),
];

/** All phones of a run, in the order of PHONES. */
export class PhoneSet {
  readonly streams: StreamPhone[] = [];
  private readonly phones: ChaosPhone[] = [];

  /** Switches on one after the other. */
  async switchOn(
    settings: Pick<PhoneSettings, 'baseUrl' | 'apiKey' | 'onFault'>,
    { fcm, chance, seed }: { fcm: FcmStandIn; chance: Chance; seed: number },
  ): Promise<void> {
    for (const [number, { transport, sendDelaySeconds }] of PHONES.entries()) {
      const own = { ...settings, name: `phone-${number}`, sendDelaySeconds, seed: seed + number };
      if (transport === 'stream') {
        const phone = await StreamPhone.switchOn(own);
        this.streams.push(phone);
        this.phones.push(phone);
      } else {
        const token = `fcm-token-${number}`;
        const phone = await FcmPhone.register(own, token, chance.branch(token));
        fcm.deliverTo(token, phone);
        this.phones.push(phone);
      }
    }
  }

  at(index: number): ChaosPhone | undefined {
    return this.phones[index];
  }

  airings(): Airing[] {
    return this.phones.flatMap((phone) => phone.airings());
  }

  /** How a device is pushed to, by its id. */
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
