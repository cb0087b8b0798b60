import { seededRandom } from './seeded-random';
import { Carrier, type CarrierCaps } from './carrier';

export interface SimCardOptions {
  /** 18 to 22 digits; by default hidden, as Android hides it from ordinary apps. */
  readonly iccId?: string;
  /** Reported only if given. */
  readonly phoneNumber?: string;
  readonly carrierName?: string;
  /** Two-letter country code. Default `de`. */
  readonly countryIso?: string;
  /** Default `SIM 1` for the first slot, and so on. */
  readonly displayName?: string;
  /** Seconds on the air for each part. Default 0. */
  readonly secondsPerPart?: number;
  /** Share of messages of which the radio refuses a part, 0 to 1. Default 0. */
  readonly failureRate?: number;
  /** Seconds until the carrier confirms a message; null for never. Default 0.5. */
  readonly deliveryDelaySeconds?: number | null;
  readonly caps?: CarrierCaps;
  /** Makes failures reproducible. */
  readonly seed?: number;
}

/** A SIM and its carrier. The counters and the state stay when it is moved to another phone. */
export class SimCard {
  readonly carrier: Carrier;
  /** `none`: no network; `off`: the radio of this SIM is off. */
  service: 'available' | 'none' | 'off' = 'available';
  readonly secondsPerPart: number;
  readonly failureRate: number;
  readonly deliveryDelaySeconds: number | null;
  /** Called once per message, in the order in which they are sent. */
  readonly random: () => number;

  constructor(private readonly options: SimCardOptions = {}) {
    this.carrier = new Carrier(options.caps);
    this.secondsPerPart = options.secondsPerPart ?? 0;
    this.failureRate = options.failureRate ?? 0;
    this.deliveryDelaySeconds =
      options.deliveryDelaySeconds === undefined ? 0.5 : options.deliveryDelaySeconds;
    this.random = options.seed === undefined ? Math.random : seededRandom(options.seed);
  }

  get iccId(): string | undefined {
    return this.options.iccId;
  }

  /** What Android tells the app about the card in a slot. */
  describe(slot: number): Record<string, unknown> {
    const { iccId, phoneNumber, carrierName, displayName, countryIso } = this.options;
    return {
      ...(iccId !== undefined && { iccId }),
      ...(phoneNumber !== undefined && { phoneNumber }),
      carrierName: carrierName ?? 'Virtual carrier',
      displayName: displayName ?? `SIM ${slot + 1}`,
      mcc: '001',
      mnc: '01',
      countryIso: countryIso ?? 'de',
      subscriptionType: 'PHYSICAL_SIM',
    };
  }
}
