import { VirtualPhone } from 'messaging-gateway-phone';
import type { SentSms } from '../chaos/evidence';

export interface FleetOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly onError: (error: string) => void;
  /** Called when a message reaches its phone. */
  readonly onReceived: (recipient: string) => void;
}

/** Limits the load of the start. */
const START_CONCURRENCY = 20;

/** Virtual phones on streams that send immediately and report the delivery half a second later. */
export class PhoneFleet {
  readonly sentSms: SentSms[] = [];
  /** Accepted reports; each raises an event. */
  reported = 0;
  reopenedStreams = 0;
  private readonly phones: VirtualPhone[] = [];

  private constructor(private readonly options: FleetOptions) {}

  static async start(count: number, settings: FleetOptions): Promise<PhoneFleet> {
    const fleet = new PhoneFleet(settings);
    for (let first = 0; first < count; first += START_CONCURRENCY) {
      const phones = Array.from({ length: Math.min(START_CONCURRENCY, count - first) }, (_, index) =>
        fleet.phone(`phone-${first + index}`),
      );
      fleet.phones.push(...phones);
      await Promise.all(phones.map((phone) => phone.start()));
    }
    return fleet;
  }

  get devices(): string[] {
    return this.phones.map(({ deviceId }) => deviceId);
  }

  async isIdle(): Promise<boolean> {
    const ends = await Promise.allSettled(this.phones.map((phone) => phone.untilIdle(1)));
    return ends.every(({ status }) => status === 'fulfilled');
  }

  async stop(): Promise<void> {
    await Promise.all(this.phones.map((phone) => phone.stop()));
  }

  private phone(name: string): VirtualPhone {
    const { baseUrl, apiKey, onError, onReceived } = this.options;
    const phone = new VirtualPhone({
      baseUrl,
      apiKey,
      name,
      serial: name,
      sendDelaySeconds: 0,
      airLogLimit: 0,
    });
    phone.on('offered', ({ recipients: [recipient] }, isKnown) => {
      if (!isKnown) onReceived(recipient);
    });
    phone.on('onAir', ({ smsId, smsBatchId: batch, recipient, text, fate, partTimes }) => {
      const isOnAir = partTimes.length > 0;
      this.sentSms.push({ device: phone.deviceId, smsId, batch, recipient, text, fate, isOnAir });
    });
    phone.on('reported', ({ smsId, status, end }) => {
      this.reported += 1;
      if (end === 'refused') onError(`the report ${status} of ${smsId} was refused for good`);
    });
    phone.on('streamClosed', () => (this.reopenedStreams += 1));
    phone.on('failure', (message) => {
      onError(`${name}: ${message}`);
    });
    return phone;
  }
}
