import type { PhoneOptions } from './phone';
import type { PhoneFaults } from './phone-faults';
import type { SimOptions } from './sims/sim-slots';

export interface VirtualPhoneOptions extends PhoneOptions {
  readonly name?: string;
  /** Identifies the phone. Random by default: each process is a new device. */
  readonly serial?: string;
  /** Seconds between two messages. Default 5, as in the app. */
  readonly sendDelaySeconds?: number;
  /**
   * Default: one without an ICCID, with subscription id 1, which sends every message. With this option, messages that
   * name another SIM fail, and reports name the SIM.
   */
  readonly sims?: readonly SimOptions[];
  /** Subscription id of the SIM for messages that name none. Default: that of the lowest slot. */
  readonly defaultSim?: number;
  /** False for an app that does not tell the service its SIMs. Default true. */
  readonly tellsSims?: boolean;
  /** Android's limit of message parts by each SIM in any 60 seconds, 30 in AOSP; null for none. Default null. */
  readonly partsPerMinute?: number | null;
  /** Seconds until a person confirms a message beyond this limit; null for nobody. Default null. */
  readonly confirmationSeconds?: number | null;
  readonly faults?: Partial<PhoneFaults>;
  /** Share of messages of which the radio refuses a part, 0 to 1, for SIMs without their own. Default 0. */
  readonly failureRate?: number;
  /** Seconds until the carrier confirms a message; null for never. For SIMs without their own. Default 0.5. */
  readonly deliveryDelaySeconds?: number | null;
  /** Makes failures reproducible. */
  readonly seed?: number;
  readonly receiveSmsEnabled?: boolean;
  /** Pushes come from a fake FCM by `receivePush`, not from a stream. */
  readonly fcmToken?: string;
}
