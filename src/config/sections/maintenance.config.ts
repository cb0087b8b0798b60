import { IntegerVariable } from '../environment/environment';

export class MaintenanceConfig {
  /** Seconds of traffic that are added to the stored totals at once. */
  @IntegerVariable('ROLLUP_PERIOD_SECONDS', 1, 3_600)
  readonly rollupPeriodSeconds: number = 60;
}
