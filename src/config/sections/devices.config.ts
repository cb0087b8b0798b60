import { IntegerVariable } from '../environment/environment';

export class DevicesConfig {
  /** Devices per account; existing devices above the limit are kept. */
  @IntegerVariable('MAX_DEVICES_PER_ACCOUNT', 1, 10_000)
  readonly maxPerAccount: number = 100;
}
