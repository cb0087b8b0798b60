import { VirtualPhone } from '../../tools/virtual-phone/virtual-phone';
import type { Airing } from '../chaos/evidence';

export interface FleetSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly onFault: (fault: string) => void;
  /** A message has reached its phone. */
  readonly onOffered: (recipient: string) => void;
}

/** Phones switched on at the same time: the service is to be loaded, not a machine that starts hundreds at once. */
const STARTED_AT_ONCE = 20;

/** The phones of a run, on a stream each. They send at once, and every message is confirmed half a second later. */
export class Fleet {
  readonly airings: Airing[] = [];
  /** Reports that the service has taken; each is an event. */
  reported = 0;
  reopenedStreams = 0;
  private readonly phones: VirtualPhone[] = [];

  private constructor(private readonly settings: FleetSettings) {}

  static async switchOn(count: number, settings: FleetSettings): Promise<Fleet> {
    const fleet = new Fleet(settings);
    for (let first = 0; first < count; first += STARTED_AT_ONCE) {
      const phones = Array.from({ length: Math.min(STARTED_AT_ONCE, count - first) }, (_, index) =>
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
    const { baseUrl, apiKey, onFault, onOffered } = this.settings;
    const phone = new VirtualPhone({
      baseUrl,
      apiKey,
      name,
      serial: name,
      sendDelaySeconds: 0,
      airLogLimit: 0,
    });
    phone.on('offered', ({ recipients: [recipient] }, isKnown) => {
      if (!isKnown) onOffered(recipient);
    });
    phone.on('onAir', ({ smsId, smsBatchId, recipient, text, fate }) => {
      this.airings.push({ device: phone.deviceId, smsId, batch: smsBatchId, recipient, text, fate });
    });
    phone.on('reported', ({ smsId, status, end }) => {
      this.reported += 1;
      if (end === 'refused') onFault(`the report ${status} of ${smsId} was refused for good`);
    });
    phone.on('streamClosed', () => (this.reopenedStreams += 1));
    phone.on('trouble', (message) => {
      onFault(`${name}: ${message}`);
    });
    return phone;
  }
}
