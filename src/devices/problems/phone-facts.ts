import type { Connection } from '../connection/connection';
import type { Device } from '../store/device.schema';
import type { DevicePushError } from '../store/push-error';
import type { SimView } from '../sims/sims.service';

/** What the problems of a phone are derived from. */
export interface PhoneFacts {
  readonly now: Date;
  readonly device: Device;
  readonly connection: Connection;
  /** Why it cannot receive pushes; undefined if it can. */
  readonly pushError: DevicePushError | undefined;
  /** The SIMs in the phone, as far as it has reported them, or the notable ones of them. */
  readonly sims: readonly SimView[];
}
